"""`python -m stride_bringup` is the `stride` command."""

from stride_bringup.programs import stride

stride()
