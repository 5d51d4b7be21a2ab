/** A figure by which the product is judged. */
type Headline = { bench: string; figure: string; what: string }

const of = (bench: string, figures: Readonly<Record<string, string>>): Headline[] =>
  Object.entries(figures).map(([figure, what]) => ({ bench, figure, what }))

/** In the order of the table in `bench/README.md`. A row that starts with "to" compares the row above. */
export const headlines: readonly Headline[] = [
  ...of('probe', {
    http_agent_cpu_per_1000_checks: '1,000 http checks',
    http_agent_to_blackbox: 'to blackbox_exporter by address',
    http_agent_to_blackbox_by_name: 'to blackbox_exporter by name',
    http_agent_to_raw: 'to raw sockets',
    https_agent_cpu_per_1000_checks: '1,000 https checks, full handshakes',
    https_agent_to_blackbox: 'to blackbox_exporter by address',
    https_agent_to_blackbox_by_name: 'to blackbox_exporter by name',
    https_agent_to_raw: 'to raw TLS sockets',
    https_agent_to_openssl: 'to `openssl s_time`',
    http_memory_per_check_in_flight: 'memory of an http check in flight',
    https_memory_per_check_in_flight: 'memory of an https check in flight',
    https_connect_p50_within_a_second: 'connect time of 2,000 checks in a second',
  }),
  ...of('path', {
    agent_10k_memory: 'agent with 10,000 checks',
    agent_100k_late_p99: 'lateness with 100,000 checks, p99',
    ingest_to_raw_insert: 'ingest to a raw insert',
    rest_get_check_requests_per_second: '`GET /v1/checks/:id`',
    rest_get_check_to_constant_per_cpu: 'to a constant response, by CPU',
  }),
  ...of('mesh', {
    mesh_readings_per_second: 'agent to ClickHouse through NATS, judged',
    mesh_to_raw_insert: 'to a raw insert',
    mesh_lag_p99: 'measured to stored and visible, p99',
    mesh_flip_lag_p99: 'first down reading to the flip, p99',
    mesh_killed_until_taken_max: 'killed control plane to new owner, slowest',
  }),
  ...of('size', {
    all_tables_bytes_per_reading: 'stored reading with rollups',
  }),
  ...of('outage', {
    flip_to_webhook_p99: 'first failing byte to notification, p99',
  }),
  ...of('answers', {
    status_of_150_requests_per_second: '`is_service_down`, 150 services',
    status_of_150_to_constant_per_cpu: 'to a constant response, by CPU',
    status_growth_150_to_5000: '5,000 services to 150',
  }),
  ...of('gateway', {
    call_requests_per_second: 'MCP `tools/call`',
    call_to_by_hand: 'to a hand-written handler, by CPU',
    call_sdk_example_to_ours: "the SDK's example to ours",
    list_to_by_hand: '`tools/list` to a hand-written handler',
    list_sdk_example_to_ours: "the SDK's example to ours",
  }),
  ...of('cli', {
    version_to_empty: '`service --version` to an empty script',
    validate_50_to_empty: '`service validate` of 50 checks to it',
    validate_5000_wall: '`service validate` of 5,000 checks',
  }),
  ...of('terraform', {
    start_up_to_empty: 'provider start to an empty script',
    noop_1_over_data: 'plan of 1 check over `terraform_data`',
    noop_500_to_data: 'plan of 500 checks to `terraform_data`',
  }),
  ...of('web', {
    status_page_bytes: 'status page of 20 components',
    list_first_fresh: 'list of 10,000 checks',
    load_mixed_latency_p99: 'mixed pages under load, p99',
  }),
  ...of('errors', {
    accepted_events_per_second: 'error events accepted',
    accepted_to_parse_floor_per_cpu: 'to parsing them, by CPU',
  }),
  ...of('search', {
    search_all_p99: 'search of a million occurrences, p99',
  }),
  ...of('stack', {
    shipped_without_ready: '`npm start` with the shipped catalog, no network: ready',
    shipped_without_memory: 'memory (PSS) of all its processes',
    shipped_without_idle_cpu: 'CPU at rest',
    shipped_without_stop: 'stop',
    shipped_with_idle_cpu: 'CPU at rest, where every service answers',
    processes_idle_memory: 'mesh of processes, idle',
  }),
  ...of('fairness', {
    fairness_two_run_ratio: 'attack by two accounts: run now',
    fairness_two_event_ratio: 'the same: error event',
    fairness_two_read_ratio: 'the same: reads, p99',
    fairness_fifty_run_ratio: 'attack by fifty accounts: run now',
    fairness_fifty_event_ratio: 'the same: error event',
    fairness_fifty_read_ratio: 'the same: reads, p99',
  }),
  ...of('rules', {
    weather_slower_false_alarms: 'weather slower: false alarms',
    reports_unusual_false_alarms: 'reports unusual: false alarms',
    shared_incident_false_alarms: 'shared incident: false alarms',
  }),
]
