"""What every room needs and none is about: names, arrays, text, files, parameters, memory."""
