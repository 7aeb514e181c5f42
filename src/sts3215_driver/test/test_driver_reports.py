"""What the driver says of each servo in /diagnostics and servo_states."""

from __future__ import annotations

from driver_bench import Bench
from stepped_thread import PATIENCE, Cable, Stepped, stepped

from stride_base.diagnostics import Level, Report
from sts3215_driver.driver_reports import RateMeter, driver_reports
from sts3215_driver.session import TORQUE_OFF, TORQUE_ON, TORQUE_UNKNOWN


def reports(run: Stepped) -> dict[str, Report]:
    meter = RateMeter()
    for snapshot in run.thread.snapshots:
        meter.add(snapshot)
    return {report.part: report for report in driver_reports(run.thread, run.bench.session, meter)}


def test_a_tripped_servo_is_an_error_also_when_its_alarm_is_gone() -> None:
    bench = Bench(2)
    bench.start()
    with stepped(bench) as run:
        assert reports(run)["servo j2"].level is Level.OK
        bench.do("alarm 2 overload")
        run.step(15)
        bench.do("alarm 2 none")
        run.step(3)
        report = reports(run)["servo j2"]
        assert report.level is Level.ERROR
        assert report.message == "tripped, torque off by alarm: overload"
        assert run.thread.snapshots[-1].torque.tolist() == [TORQUE_ON, TORQUE_OFF]


def test_the_torque_of_all_is_one_word() -> None:
    bench = Bench(2)
    bench.session.connect()
    with stepped(bench) as run:
        assert reports(run)["bus"].values["torque"] == "unknown"
        asking = run.ask(lambda: run.thread.set_torque(True))
        run.step(2)
        assert asking.result(PATIENCE)[0]
        assert reports(run)["bus"].values["torque"] == "on"
        bench.do("alarm 2 overload")
        run.step(15)
        assert reports(run)["bus"].values["torque"] == "part"
        asking = run.ask(run.thread.stop)
        run.step(2)
        assert asking.result(PATIENCE)[0]
        assert reports(run)["bus"].values["torque"] == "off"


def test_the_torque_is_unknown_as_long_as_the_port_is_lost() -> None:
    bench = Bench(2)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
        values = reports(run)["bus"].values
        assert (values["state"], values["torque"]) == ("port lost", "unknown")


def test_the_torque_of_a_silent_servo_is_unknown() -> None:
    bench = Bench(2)
    bench.start()
    with stepped(bench) as run:
        bench.do("power 2 off")
        run.step(5)
        assert run.thread.snapshots[-1].torque.tolist() == [TORQUE_ON, TORQUE_UNKNOWN]


def test_a_servo_whose_torque_was_not_switched_on_is_not_said_to_be_free() -> None:
    bench = Bench(1)
    bench.session.connect()
    with stepped(bench) as run:
        assert "as it was before" in reports(run)["bus"].message


def test_servos_grow_older_while_the_port_is_lost() -> None:
    bench = Bench(1)
    bench.start()
    cable = Cable(bench)
    with stepped(bench) as run:
        cable.pull()
        run.step()
        clock = bench.transport.clock
        clock.sleep_until(clock.now() + 5.0)
        report = reports(run)["servo j1"]
        assert report.level is Level.ERROR and report.message.startswith("port lost for 5.")
