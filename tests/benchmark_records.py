"""What benchmarks record of the machine they run on."""

MACHINE = {
    "kind": "machine",
    "date": "2026-01-01",
    "processor": "a processor",
    "cores": 2,
    "memory_gb": 8.0,
    "system": "Linux x86_64",
    "python": "3.11.7",
    "versions": {"pystreed": "1.4.0"},
}
