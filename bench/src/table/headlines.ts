/** Figures by which the product is judged, in the order in which they stand in `bench/README.md`. */
export type Headline = {
  what: string
  bench: string
  figure: string
}

const of =
  (bench: string) =>
  (figure: string, what: string): Headline => ({ what, bench, figure })
const [probe, path, mesh, size] = [of('probe'), of('path'), of('mesh'), of('size')]
const [answers, gateway, cli] = [of('answers'), of('gateway'), of('cli')]
const [terraform, web, errors, search] = [of('terraform'), of('web'), of('errors'), of('search')]
const [outage, stack] = [of('outage'), of('stack')]

export const headlines: readonly { group: string; rows: readonly Headline[] }[] = [
  {
    group: 'One check',
    rows: [
      probe('http_agent_cpu_per_1000_checks', '1,000 http checks of a whole agent'),
      probe('http_agent_to_blackbox', 'beside blackbox_exporter, which is given the address'),
      probe('http_agent_to_blackbox_by_name', 'beside one that looks each name up as well'),
      probe('http_agent_to_curl', 'beside a curl for each check'),
      probe('http_agent_by_address_to_blackbox', 'both without DNS queries'),
      probe('http_agent_to_raw', 'beside raw sockets'),
      probe('https_agent_cpu_per_1000_checks', '1,000 https checks, full handshakes, verified'),
      probe('https_agent_to_blackbox', 'beside blackbox_exporter, which is given the address'),
      probe('https_agent_to_blackbox_by_name', 'beside one that looks each name up as well'),
      probe('https_agent_to_raw', 'beside raw TLS sockets'),
      probe('https_agent_to_openssl', 'beside `openssl s_time`'),
      probe('http_memory_per_check_in_flight', 'memory of an http check in flight'),
      probe('https_memory_per_check_in_flight', 'memory of an https check in flight'),
      probe(
        'https_connect_p50_within_a_second',
        'what 2,000 in the same second measure of a connection',
      ),
    ],
  },
  {
    group: 'An agent',
    rows: [
      path('agent_10k_memory', 'an agent with 10,000 checks'),
      path('agent_memory_per_10000_checks', 'each 10,000 more'),
      path('agent_10k_late_p99', 'lateness with 10,000 checks, p99'),
      path('agent_100k_late_p99', 'lateness with 100,000 checks, p99'),
      path('agent_100k_cpu_percent', 'scheduling and publishing 100,000 checks a minute'),
    ],
  },
  {
    group: 'From the agent to the store',
    rows: [
      mesh(
        'mesh_readings_per_second',
        'readings through NATS to ClickHouse, judged, on these cores',
      ),
      mesh('mesh_all_cpu_per_1000_readings', '1,000 of them, all processes together'),
      mesh('mesh_to_raw_insert', 'beside a raw insert of the same rows'),
      path('ingest_to_raw_insert', 'ingest alone, beside that insert'),
      mesh('mesh_lag_p99', 'measured to stored and visible, p99'),
      size('all_tables_bytes_per_reading', 'a stored reading with its rollups'),
    ],
  },
  {
    group: 'An outage',
    rows: [
      outage(
        'flip_to_webhook_p50',
        'first failing byte to delivered notification, 30 s interval, median',
      ),
      outage('flip_to_webhook_p99', 'the same, p99'),
      mesh('mesh_flip_lag_p99', 'first reading that says down to the flip, p99'),
      mesh(
        'mesh_killed_until_taken_max',
        'a killed control plane’s checks have another owner, slowest',
      ),
    ],
  },
  {
    group: 'Answers',
    rows: [
      path('rest_get_check_requests_per_second', '`GET /v1/checks/:id`'),
      path(
        'rest_get_check_to_constant_per_cpu',
        'beside the same server with a constant body, by CPU',
      ),
      answers('status_of_150_requests_per_second', '`is_service_down` of 150 services'),
      answers('status_of_150_latency_p99', 'the same, p99'),
      answers('status_of_150_to_constant_per_cpu', 'beside a constant body, by CPU'),
      answers('status_growth_150_to_5000', 'with 5,000 services, to 150'),
      gateway('call_requests_per_second', 'MCP `tools/call`'),
      gateway('call_latency_p99', 'the same, p99'),
      gateway('call_to_by_hand', 'beside a handler by hand, by CPU'),
      gateway('call_sdk_example_to_ours', 'the SDK’s own stateless example, to ours'),
      gateway('list_to_by_hand', 'MCP `tools/list` beside a handler by hand'),
      gateway('list_sdk_example_to_ours', 'the SDK’s own stateless example, to ours'),
    ],
  },
  {
    group: 'Commands',
    rows: [
      cli('version_wall', '`service --version`'),
      cli('version_to_empty', 'beside an empty script'),
      cli('validate_50_to_empty', '`service validate` of 50 checks, beside it'),
      cli('validate_5000_wall', '`service validate` of 5,000 checks'),
      terraform('start_up_to_empty', 'the provider’s start, beside an empty script'),
      terraform('noop_1_over_data', 'a plan of one check, over `terraform_data`'),
      terraform('noop_500_to_data', 'a plan of 500 checks, beside `terraform_data`'),
    ],
  },
  {
    group: 'Pages',
    rows: [
      web('status_page_bytes', 'a status page of 20 components'),
      web('status_page_interactive', 'until it can be used'),
      web('list_first_fresh', 'the list of 10,000 checks'),
      web('load_mixed_p99', 'pages of all kinds under load, p99'),
    ],
  },
  {
    group: 'Error tracking',
    rows: [
      errors('accepted_events_per_second', 'events accepted'),
      errors('accepted_to_parse_floor_per_cpu', 'beside parsing them alone, by CPU'),
      search('search_all_p99', 'a search of a million occurrences by everything at once, p99'),
    ],
  },
  {
    group: 'The whole',
    rows: [
      stack('one_process_idle_memory', '`npm start`, idle, with its stores'),
      stack('processes_idle_memory', 'the same in processes with NATS, two agents and a gateway'),
    ],
  },
]
