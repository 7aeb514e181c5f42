"""For all tests: how long an example takes is no reason to fail, since the computer may be busy."""

from hypothesis import settings

settings.register_profile("stride", deadline=None)
settings.load_profile("stride")
