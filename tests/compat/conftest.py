"""Scripts import modules that exist only while `graphtm.compat` runs them."""

collect_ignore = ["scripts"]
