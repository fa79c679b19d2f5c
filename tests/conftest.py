"""Settings of all tests."""

import os

from hypothesis import HealthCheck, settings

# No deadline, because test machines are noisy. `make test` repeats the same cases everywhere; `make test-all` draws
# fresh ones, and hypothesis prints how to repeat a case that fails.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fresh", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile(os.environ.get("GRAPHTM_HYPOTHESIS", "steady"))
