import { newestOf } from '../results.ts'
import type { Result } from '../results.ts'

/** Which figure each cost is, by bench. All of them are measured: `bench/README.md` says how. */
const figures = {
  httpsRunCpu: ['probe', 'https_agent_cpu_per_1000_checks'],
  agentReadingCpu: ['mesh', 'mesh_agent_fra_cpu_per_1000_readings'],
  controlPlaneReadingCpu: ['mesh', 'mesh_control_plane_cpu_per_1000_readings'],
  clickhouseReadingCpu: ['mesh', 'mesh_clickhouse_cpu_per_1000_readings'],
  agentBaseMib: ['mesh', 'mesh_agent_fra_memory'],
  controlPlaneBaseMib: ['mesh', 'mesh_control_plane_memory'],
  takeoverMs: ['mesh', 'mesh_silent_until_stored_max'],
  readingsPerMessage: ['scale', 'readings_per_message'],
  payloadBytes: ['scale', 'payload_bytes_per_reading'],
  wireBytes: ['scale', 'wire_bytes_per_reading'],
  stateWritesPerReading: ['scale', 'state_writes_per_reading'],
  busiestSecond: ['scale', 'seconds_max_to_mean'],
  busiestAgent: ['scale', 'agents_max_to_mean'],
  busiestPartition: ['scale', 'partitions_max_to_mean'],
  assessorBytes: ['scale', 'assessor_bytes_per_check'],
  ingestBytes: ['scale', 'ingest_bytes_per_check_and_region'],
  agentBookBytes: ['scale', 'agent_bytes_per_check_of_its_region'],
  assignmentBytes: ['scale', 'assignment_bytes_in_bucket'],
  natsMessageCpu: ['scale', 'nats_cpu_per_1000_messages'],
  stateWriteCpu: ['scale', 'state_write_postgres_cpu_per_1000'],
  stateWriteWalBytes: ['scale', 'state_write_wal_bytes'],
  lookUpCpu: ['scale', 'check_look_up_postgres_cpu_per_1000'],
  postgresBytes: ['scale', 'postgres_bytes_per_check'],
  rawBytes: ['size', 'readings_raw_bytes_per_reading'],
  minuteBytes: ['size', 'readings_minute_bytes_per_reading'],
  hourBytes: ['size', 'readings_hour_bytes_per_reading'],
} as const satisfies Record<string, readonly [bench: string, figure: string]>

export type CostName = keyof typeof figures

/** A measured cost, and where it stands. */
export type Cost = {
  value: number
  unit: string
  bench: string
  figure: string
  date: string
  commit: string
}
export type Costs = Readonly<Record<CostName, Cost>>

/** All of them, in the order above: the keys of a constant. */
export const costNames = Object.keys(figures) as CostName[]

/** What the simulations showed, in the order of `docs/scale.md`; all of the bench `scale`. */
const simulated = [
  'slots_due',
  'slots_stored',
  'slots_lost',
  'slots_duplicates',
  'seconds_max_to_mean',
  'seconds_of_a_region_max_to_mean',
  'agents_max_to_mean',
  'partitions_max_to_mean',
  'schedule_cpu_per_1000000_readings',
  'spool_cpu_per_1000000_readings',
  'publish_cpu_per_1000000_readings',
  'decode_cpu_per_1000000_readings',
  'store_cpu_per_1000000_readings',
  'judge_cpu_per_1000000_readings',
  'store_questions_per_reading',
  'agent_takes_1000000_assignments',
  'agent_shares_1000000_assignments_anew',
  'faults_slots_due',
  'faults_slots_stored',
  'faults_slots_lost',
  'faults_slots_lost_with_a_killed_agent',
  'faults_slots_duplicates',
  'faults_twins_left_out',
  'faults_checks_flipped',
  'faults_slots_wrong_flips',
] as const

type Histories = Readonly<Record<string, readonly Result[]>>

/** @throws Error that names every figure nobody has measured */
export const simulatedOf = (histories: Histories): Cost[] => {
  const found = simulated.map((figure) => newest(histories, 'scale', figure))
  const missing = simulated.filter((_, at) => found[at] === null)
  if (missing.length > 0) throw new Error(`not measured yet: scale: ${missing.join(', ')}`)
  return found.filter((cost) => cost !== null)
}

/**
 * The newest run of each figure.
 * @param histories of each bench, oldest first
 * @throws Error that names every figure nobody has measured
 */
export const costsOf = (histories: Histories): Costs => {
  const found = costNames.map((name) => {
    const [bench, figure] = figures[name]
    return [name, newest(histories, bench, figure)] as const
  })
  const missing = found.flatMap(([name, cost]) => (cost === null ? [figures[name].join(': ')] : []))
  if (missing.length > 0) throw new Error(`not measured yet: ${missing.join(', ')}`)
  return complete(Object.fromEntries(found))
}

/** Only called where every cost is found. */
const complete = (found: Record<string, Cost | null>): Costs => found as Costs

const newest = (histories: Histories, bench: string, figure: string): Cost | null => {
  const found = newestOf(histories[bench] ?? [], figure)
  if (found === null) return null
  const { value, unit } = found.line
  const { date, commit } = found.run
  return { value, unit, bench, figure, date: date.slice(0, 10), commit: commit ?? 'none' }
}
