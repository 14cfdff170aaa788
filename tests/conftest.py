"""Settings for all tests."""

from hypothesis import settings

# the machine may be busy: how long one example takes says nothing about the code
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
