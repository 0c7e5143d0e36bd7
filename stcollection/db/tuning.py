"""Settings of PostgreSQL for bulk work, by memory and cores; durability does not change (never ``fsync = off``).

``python -m stcollection.db.tuning`` prints them in the syntax of postgresql.conf, with pg_textsearch preloaded, for other servers.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_SHM = Path("/dev/shm")  # noqa: S108


def memory_mib() -> int:
    """Return the memory of the machine, or of its container if that has a limit, in MiB."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [text for path in map(Path, _CGROUP_LIMITS) if path.exists() and (text := path.read_text().strip()).isdigit()]
    return min([machine, *map(int, limits)]) // 2**20


def settings(*, memory: int, cores: int, preload: str, collections: int = 0) -> dict[str, str]:
    """Return names and values of settings in the syntax of postgresql.conf.

    :param memory: MiB. :param preload: libraries to load at the start, separated by commas.
    :param collections: number of databases with Citus, each of which needs a process of its own.
    """
    return {
        "shared_preload_libraries": f"'{preload}'",
        "shared_buffers": f"{min(max(memory // 4, 128), 8192)}MB",
        "effective_cache_size": f"{max(memory // 2, 256)}MB",
        "maintenance_work_mem": f"{min(max(memory // 16, 64), 2048)}MB",
        "work_mem": f"{min(max(memory // 256, 8), 128)}MB",
        "max_wal_size": "8GB",
        "min_wal_size": "256MB",
        "checkpoint_timeout": "15min",
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "max_worker_processes": str(cores + 8 + collections),
        "max_parallel_workers": str(cores),
        "max_parallel_workers_per_gather": str(max(1, min(cores - 1, 8))),
        "max_parallel_maintenance_workers": str(max(1, min(cores - 1, 7))),
        "random_page_cost": "1.1",
        "jit": "off",
        "log_timezone": "'UTC'",
        "timezone": "'UTC'",
        "logging_collector": "off",
        "client_connection_check_interval": "'5s'",  # ends queries of killed clients
    }


def format_settings(values: dict[str, str]) -> str:
    """Format settings for postgresql.conf, one per line."""
    return "".join(f"{name} = {value}\n" for name, value in values.items())


@click.command()
def main() -> None:
    """Print the settings for this machine or container."""
    values = settings(memory=memory_mib(), cores=len(os.sched_getaffinity(0)), preload="pg_textsearch")
    # Parallel builds share memory through /dev/shm. Containers have 64 MB of it by default, which is too little: use files.
    shared = os.statvfs(_SHM) if _SHM.is_dir() else None
    if shared is None or shared.f_blocks * shared.f_frsize < 2**30:
        values["dynamic_shared_memory_type"] = "mmap"
    click.echo(format_settings(values), nl=False)


if __name__ == "__main__":
    main()
