from hypothesis import HealthCheck, settings

# The same cases on every machine; no deadline, because the machines that run this are noisy.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
