"""Commands over recordings; `stride record` is with what knows robots, in stride_bringup."""
