import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
const secondsMax = 120

/** Figures that need no peer. A missing peer removes its own figures only. */
const always = [
  'http_agent_cpu_per_1000_checks',
  'http_raw_cpu_per_1000_checks',
  'http_agent_by_address_cpu_per_1000_checks',
  'http_agent_to_raw',
  'https_agent_cpu_per_1000_checks',
  'https_agent_by_address_cpu_per_1000_checks',
  'https_raw_cpu_per_1000_checks',
  'https_openssl_cpu_per_1000_checks',
  'https_agent_to_raw',
  'https_agent_to_openssl',
  'http_memory_per_check_in_flight',
  'https_memory_per_check_in_flight',
  'http_connect_p50_alone',
  'http_connect_p50_within_a_second',
  'https_connect_p50_alone',
  'https_connect_p50_within_a_second',
  'healthy_latency_p50_beside_silent_names',
  'healthy_latency_p99_beside_silent_names',
  'healthy_run_p50_beside_silent_names',
  'healthy_run_p99_beside_silent_names',
]
const withBlackbox = [
  'http_blackbox_cpu_per_1000_checks',
  'http_agent_to_blackbox',
  'http_agent_by_address_to_blackbox',
  'https_blackbox_cpu_per_1000_checks',
  'https_agent_to_blackbox',
]
const withBlackboxByName = [
  'http_blackbox_by_name_cpu_per_1000_checks',
  'http_agent_to_blackbox_by_name',
  'https_blackbox_by_name_cpu_per_1000_checks',
  'https_agent_to_blackbox_by_name',
]

test.runIf(process.platform === 'linux')(
  'the probe bench prints every figure',
  async () => {
    const options = { timeout: secondsMax * 1_000 }
    const ran = await promisify(execFile)(process.execPath, [main, 'probe', '--quick'], options)
    const lines: { figure: string; value: number }[] = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const isThere = (peer: string) => !ran.stderr.includes(`no ${peer} to compare with`)
    const expected = [
      ...always,
      ...(isThere('blackbox_exporter') ? withBlackbox : []),
      ...(isThere('blackbox_exporter') && isThere('blackbox_exporter by name') ? withBlackboxByName : []),
    ]
    expect(lines.map(({ figure }) => figure).toSorted()).toEqual(expected.toSorted())
    // Connect times are rounded to 0.1 ms, and a busy machine may have none; 200 checks at once fit into
    // the memory that a process already has.
    const mayBeNone = /connect|memory/
    const few = lines.filter(({ figure, value }) => !(value > 0 || mayBeNone.test(figure)))
    expect(few).toEqual([])
  },
  secondsMax * 1_000,
)
