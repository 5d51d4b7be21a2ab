import type { FaultRow } from './row.ts'

/** Parts of the mesh that die, stand still, are cut off or come twice. */
export const processRows: readonly FaultRow[] = [
  {
    id: 'F-01',
    fault: 'kill -9 of an agent in the middle of a run',
    promise:
      'Every reading that was journalled is stored once; a slot cut off has no reading or one, never two; the check turns stale by itself and recovers by itself.',
    proofs: [
      { file: 'probe-agent/src/kill.test.ts' },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'while agents of a region join and die' },
      { file: 'acceptance/mesh/mesh-page.test.ts' },
      {
        file: 'acceptance/cli/top.test.ts',
        test: 'a region that is killed while it runs turns stale',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-02',
    fault: 'kill -9 of a control plane in the middle of a write',
    promise:
      'An incident and its first update are both there or neither, and each subscriber gets one mail; a request with an idempotency key is carried out once.',
    proofs: [
      { file: 'acceptance/mesh/subscriber-mail.test.ts', test: 'at every step of its transaction' },
      { file: 'control-plane/src/operations/claims.test.ts' },
      { file: 'control-plane/src/alerts/storm.test.ts', test: 'work that is cut off' },
      { file: 'acceptance/mesh/kill.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-03',
    fault: 'kill -9 of an MCP gateway',
    promise: 'It keeps nothing: the next request goes to another one, and no write happens twice.',
    proofs: [
      { file: 'acceptance/mcp/gateways.test.ts', test: 'one is killed at every request' },
      { file: 'control-plane/src/http/idempotency-lost-answer.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-04',
    fault: 'NATS is killed, stops or stands still',
    promise:
      'Agents go on measuring what they were assigned and keep the readings on disk; afterwards all of it is stored once, and no alert comes of the gap.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'NATS is dead for a minute' },
      { file: 'infra/start/processes/agent.test.ts', test: 'measures over NATS, outlives it' },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'infra/deploy/nats/cluster.test.ts' },
      { file: 'bus/src/nats/away.test.ts' },
      { file: 'probe-agent/src/deliver/publisher.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-05',
    fault: 'ClickHouse is away',
    promise:
      'Statuses, alerts and incidents go on; answers that need the time series say so with SV-9002; what was measured waits on the stream and is stored once.',
    proofs: [
      {
        file: 'acceptance/faults/proofs/parts-away.test.ts',
        test: 'ClickHouse is dead for a minute',
      },
      {
        file: 'control-plane/src/outage/answers/answers-routes.test.ts',
        test: 'past incidents are SV-9002',
      },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'control-plane/src/mesh/ingest/settle-readings.test.ts' },
      { file: 'control-plane/src/mesh/ingest/cluster.test.ts', test: 'while a shard is away' },
      { file: 'control-plane/src/stores/clickhouse/cluster.test.ts', test: 'a shard that is away' },
      {
        file: 'control-plane/src/error-tracking/persist/persister.test.ts',
        test: 'while ClickHouse is unavailable',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-06',
    fault: 'Postgres restarts or is away',
    promise:
      'The API answers SV-9002 with Retry-After; leases that cannot be renewed are given up before another has them; nothing is judged twice afterwards.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'while Postgres is dead' },
      { file: 'control-plane/src/app/app.test.ts', test: 'a Postgres that is away is SV-9002' },
      {
        file: 'control-plane/src/stores/leases/lease-manager.test.ts',
        test: 'a session that is lost',
      },
      { file: 'control-plane/src/stores/postgres/transact.test.ts' },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
    ],
    notShown: null,
  },
  {
    id: 'F-07',
    fault: 'A region is cut off',
    promise:
      'Its votes age away and accuse nobody; it measures on through restarts, and all of it arrives with its true times.',
    proofs: [
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'a region cut off measures on' },
      { file: 'infra/deploy/nats/leaf-cut.test.ts' },
      {
        file: 'control-plane/src/status/status.property.test.ts',
        test: 'silence never leads to down',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-12',
    fault: 'A message is delivered twice',
    promise: 'A reading counts once, whichever way it comes again.',
    proofs: [
      { file: 'control-plane/src/mesh/assess/takeovers.property.test.ts' },
      {
        file: 'control-plane/src/mesh/ingest/ingester.test.ts',
        test: 'a slot seen twice is stored once',
      },
      { file: 'control-plane/src/status/status.test.ts', test: 'the same reading twice' },
      { file: 'bus/src/nats/delivery.test.ts', test: 'repeated delivery' },
    ],
    notShown: null,
  },
  {
    id: 'F-13',
    fault: 'Readings and pings come out of order, or late',
    promise: 'They fill history and never change what is current.',
    proofs: [
      {
        file: 'control-plane/src/status/status.test.ts',
        test: 'a late reading updates the region',
      },
      {
        file: 'control-plane/src/mesh/ingest/ingester.test.ts',
        test: 'a late slot between stored ones',
      },
      {
        file: 'control-plane/src/heartbeats/heartbeat.test.ts',
        test: 'a delayed ping ends its run',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-18',
    fault: 'Whoever takes readings was away for minutes, and all of them come at once',
    promise:
      'They are stored and judged in the order in which they were measured; no alert comes of old ones.',
    proofs: [
      {
        file: 'acceptance/faults/proofs/parts-away.test.ts',
        test: 'after both control planes stood still',
      },
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'a region cut off measures on' },
      { file: 'infra/deploy/nats/leaf-cut.test.ts' },
      {
        file: 'control-plane/src/status/status.test.ts',
        test: 'a late reading updates the region',
      },
      {
        file: 'control-plane/src/mesh/assess/assessor.test.ts',
        test: 'after a restart the state goes on',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-19',
    fault: 'Everything starts at once, with 10,000 checks',
    promise:
      'Each check keeps its own phase, so that the first minute is as even as any other; reconnecting waits a random while.',
    proofs: [
      { file: 'acceptance/faults/proofs/cold-start.test.ts' },
      { file: 'probe-agent/src/schedule/scheduler.test.ts', test: 'after a restart nothing older' },
      {
        file: 'probe-agent/src/schedule/scheduler.test.ts',
        test: 'hands over a bounded number a wake-up',
      },
      { file: 'contracts/src/reading/slots.test.ts' },
      { file: 'probe-agent/src/deliver/message.test.ts', test: 'doubling bound' },
    ],
    notShown: null,
  },
  {
    id: 'F-20',
    fault: 'A control plane stands still for a minute and wakes up as a former owner',
    promise:
      'Another has its partitions within 10 s; what it does on waking is refused in the statement itself.',
    proofs: [
      { file: 'control-plane/src/mesh/assess/takeovers.property.test.ts' },
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'a control plane that stands still' },
      {
        file: 'control-plane/src/stores/leases/leases-store.test.ts',
        test: 'a former owner writes nothing',
      },
      {
        file: 'control-plane/src/mesh/assess/assessor.test.ts',
        test: 'a former owner that judges on',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-24',
    fault: 'Two agents with the same name',
    promise: 'The later one stays; the earlier is told, says so and ends.',
    proofs: [
      { file: 'infra/start/processes/agent.test.ts', test: 'a later life takes over its name' },
      {
        file: 'probe-agent/src/share/membership.test.ts',
        test: 'a later life under the same name',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-25',
    fault: 'Agents and control planes of different versions',
    promise: 'What one does not understand is a reading that says so, and hurts nothing beside it.',
    proofs: [
      { file: 'probe-agent/src/schedule/not-understood.test.ts' },
      { file: 'contracts/src/api/wire.test.ts' },
      { file: 'control-plane/src/readings/older-agent.test.ts' },
    ],
    notShown:
      'an agent of an earlier release beside a control plane of this one: nothing was released before',
  },
  {
    id: 'F-30',
    fault: 'SIGTERM under load',
    promise:
      'Runs in progress end, their readings are kept, and the process ends with 0 within 15 s.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'under load SIGTERM' },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'probe-agent/src/agent.test.ts', test: 'stopping ends the run in progress' },
      { file: 'infra/start/processes/agent.test.ts', test: 'stops when it is asked to' },
    ],
    notShown: null,
  },
]
