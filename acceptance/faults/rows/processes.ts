import type { FaultRow } from './row.ts'

/** Faults of processes: kills, freezes, disconnections and duplicates. */
export const processRows: readonly FaultRow[] = [
  {
    id: 'F-01',
    fault: 'kill -9 of an agent in the middle of a run',
    promise:
      'Every journalled reading is stored once. An interrupted slot has at most one reading. The check turns stale and recovers without help.',
    proofs: [
      { file: 'probe-agent/src/kill.test.ts' },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'while agents of a region join and die' },
      { file: 'acceptance/mesh/mesh-page.test.ts' },
      {
        file: 'acceptance/cli/top.test.ts',
        test: 'a killed region turns stale while the view is open',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-02',
    fault: 'kill -9 of a control plane in the middle of a write',
    promise:
      'An incident is stored together with its first update, or not at all. Each subscriber gets one mail. A request with an idempotency key runs once.',
    proofs: [
      { file: 'acceptance/mesh/subscriber-mail.test.ts', test: 'at every step of its transaction' },
      { file: 'control-plane/src/accounts/operations/claims.test.ts' },
      { file: 'control-plane/src/alerts/storm.test.ts', test: 'work that is cut off' },
      { file: 'acceptance/mesh/kill.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-03',
    fault: 'kill -9 of an MCP gateway',
    promise:
      'The gateway is stateless. The next request goes to another gateway, and no write happens twice.',
    proofs: [
      { file: 'acceptance/mcp/gateways.test.ts', test: 'is killed at every request' },
      { file: 'control-plane/src/http/idempotency-lost-answer.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-04',
    fault: 'NATS is killed, stops or freezes',
    promise:
      'Agents keep measuring their assignments and spool readings on disk. Afterwards each reading is stored once, and the gap raises no alert.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'NATS is dead for a minute' },
      {
        file: 'infra/start/processes/agent.test.ts',
        test: 'an agent measures over NATS, continues and restarts without it',
      },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'infra/deploy/nats/cluster.test.ts' },
      { file: 'bus/src/nats/away.test.ts' },
      { file: 'probe-agent/src/publish/publisher.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-05',
    fault: 'ClickHouse is unavailable',
    promise:
      'Statuses, alerts and incidents continue. Answers that need the time series return SV-9002. Readings wait on the stream and are stored once.',
    proofs: [
      {
        file: 'acceptance/faults/proofs/parts-away.test.ts',
        test: 'ClickHouse is dead for a minute',
      },
      {
        file: 'control-plane/src/public-answers/answers/answers-routes.test.ts',
        test: 'past incidents are SV-9002',
      },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'control-plane/src/mesh/ingest/settle-readings.test.ts' },
      {
        file: 'control-plane/src/mesh/ingest/cluster.test.ts',
        test: 'marks nothing while a shard is unavailable',
      },
      { file: 'control-plane/src/stores/clickhouse/cluster.test.ts', test: 'an unavailable shard' },
      {
        file: 'error-tracking/persist/persister.test.ts',
        test: 'while ClickHouse is unavailable',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-06',
    fault: 'Postgres restarts or is unavailable',
    promise:
      'The API answers SV-9002 with Retry-After. A control plane releases a lease that it cannot renew before another control plane gets it. Nothing is judged twice afterwards.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'while Postgres is dead' },
      { file: 'control-plane/src/app/app.test.ts', test: 'an unavailable Postgres is SV-9002' },
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
    fault: 'A region is disconnected',
    promise:
      'Its votes expire and cause no outage. Its agents keep measuring through restarts. All readings arrive later with their original times.',
    proofs: [
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'a disconnected region keeps measuring' },
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
    promise: 'A reading counts once, however often it is delivered.',
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
    fault: 'Readings and pings arrive late or out of order',
    promise: 'Late readings fill the history and never change the current status.',
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
    fault: 'The control planes freeze for minutes, then receive all readings at once',
    promise: 'Readings are stored and judged in the order of measurement. Old readings raise no alert.',
    proofs: [
      {
        file: 'acceptance/faults/proofs/parts-away.test.ts',
        test: 'failures during a freeze of both control planes',
      },
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'a disconnected region keeps measuring' },
      { file: 'infra/deploy/nats/leaf-cut.test.ts' },
      {
        file: 'control-plane/src/status/status.test.ts',
        test: 'a late reading updates the region',
      },
      {
        file: 'control-plane/src/mesh/assess/assessor.test.ts',
        test: 'and repeated readings flip nothing',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-19',
    fault: 'Cold start with 10,000 checks',
    promise:
      'Each check keeps its own phase, so the first minute has the usual load. Reconnects use random backoff.',
    proofs: [
      { file: 'acceptance/faults/proofs/cold-start.test.ts' },
      { file: 'probe-agent/src/schedule/scheduler.test.ts', test: 'after a restart nothing older' },
      {
        file: 'probe-agent/src/schedule/scheduler.test.ts',
        test: 'hands over a bounded number a wake-up',
      },
      { file: 'contracts/src/reading/slots.test.ts' },
      { file: 'probe-agent/src/publish/message.test.ts', test: 'doubling bound' },
    ],
    notShown: null,
  },
  {
    id: 'F-20',
    fault: 'A control plane freezes for a minute and wakes up as a former owner',
    promise:
      'Another control plane owns its partitions within 10 s. The database fences every write of the former owner.',
    proofs: [
      { file: 'control-plane/src/mesh/assess/takeovers.property.test.ts' },
      { file: 'acceptance/mesh/cut-off.test.ts', test: 'a frozen control plane is replaced' },
      {
        file: 'control-plane/src/stores/leases/leases-store.test.ts',
        test: 'a former owner writes nothing',
      },
      {
        file: 'control-plane/src/mesh/assess/assessor.test.ts',
        test: 'a former owner that keeps judging',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-24',
    fault: 'Two agents with the same name',
    promise:
      'The later agent waits and logs it, and takes over when the earlier one is silent. Of two that announce themselves at once, the earlier one exits.',
    proofs: [
      { file: 'infra/start/processes/agent-clock.test.ts', test: 'a second agent with the same name waits' },
      { file: 'infra/start/processes/agent.test.ts', test: 'when another instance takes over its name' },
      {
        file: 'probe-agent/src/ownership/membership.test.ts',
        test: 'a later instance with the same name',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-25',
    fault: 'Agents and control planes of different versions',
    promise: 'An unknown message becomes a reading that reports it. Other work continues.',
    proofs: [
      { file: 'probe-agent/src/schedule/not-understood.test.ts' },
      { file: 'contracts/src/api/wire.test.ts' },
      { file: 'control-plane/src/readings/older-agent.test.ts' },
    ],
    notShown: 'an agent of an earlier release with a control plane of this one: there is no earlier release',
  },
  {
    id: 'F-33',
    fault:
      'A store answers and refuses work: read-only, a full disk, revoked rights, missing tables or streams, held locks',
    promise:
      'No process ends. Pages are served, and writes return SV-9002. Readings wait and are stored once. No alert is sent about targets that answer.',
    proofs: [
      { file: 'acceptance/faults/proofs/stores-refuse.test.ts' },
      { file: 'control-plane/src/http/read-only.test.ts' },
      { file: 'control-plane/src/stores/faults.test.ts' },
      { file: 'control-plane/src/mesh/ingest/ingester.test.ts', test: 'delays readings' },
      { file: 'bus/src/nats/nats.test.ts', test: 'recreates removed streams' },
    ],
    notShown: null,
  },
  {
    id: 'F-30',
    fault: 'SIGTERM under load',
    promise: 'Runs in progress finish, their readings are kept, and the process exits with 0 within 15 s.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'under load SIGTERM' },
      { file: 'acceptance/mesh/mesh.test.ts', test: 'parts killed under load' },
      { file: 'probe-agent/src/agent.test.ts', test: 'stopping ends the run in progress' },
      { file: 'infra/start/processes/agent.test.ts', test: 'and stops at a signal' },
    ],
    notShown: null,
  },
]
