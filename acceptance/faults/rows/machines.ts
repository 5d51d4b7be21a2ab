import type { FaultRow } from './row.ts'

/** Faults of machines: clocks, disks, memory and load. */
export const machineRows: readonly FaultRow[] = [
  {
    id: 'F-15',
    fault: 'Wrong clocks, and clocks that jump forward or back',
    promise:
      'Durations come from a monotonic clock. An agent whose clock is off uses the control planes’ time and reports it. No slot runs twice. A reading from the future counts as measured on arrival; from one minute ahead it is set aside.',
    proofs: [
      { file: 'acceptance/faults/proofs/clock.test.ts' },
      { file: 'infra/start/processes/agent-clock.test.ts' },
      { file: 'probe-agent/src/schedule/scheduler.test.ts', test: 'a clock put' },
      { file: 'control-plane/src/status/status.test.ts', test: 'from a clock that runs ahead' },
    ],
    notShown: null,
  },
  {
    id: 'F-16',
    fault: 'Unreadable messages',
    promise: 'Unreadable messages are set aside and counted. Their neighbours are stored.',
    proofs: [
      { file: 'control-plane/src/mesh/ingest/ingester.test.ts' },
      {
        file: 'error-tracking/persist/persister.test.ts',
        test: 'keeps unreadable messages as poison',
      },
      { file: 'error-tracking/persist/rejected.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-17',
    fault: 'Full disks',
    promise:
      'An agent keeps measuring. It drops `up` readings first and counts each drop. A full database refuses the whole write.',
    proofs: [
      { file: 'acceptance/faults/proofs/full-disk.test.ts' },
      { file: 'bus/src/log/disk-full.test.ts' },
      { file: 'probe-agent/src/publish/spool/spool.test.ts' },
      { file: 'probe-agent/src/publish/publisher.test.ts', test: 'the disk refuses' },
      { file: 'control-plane/src/stores/postgres/transact.test.ts', test: 'a full server' },
    ],
    notShown: null,
  },
  {
    id: 'F-21',
    fault: 'Daylight saving time',
    promise: 'Each job is expected once, at its time or right after the gap, in every time zone.',
    proofs: [{ file: 'control-plane/src/heartbeats/schedule.test.ts' }],
    notShown: null,
  },
  {
    id: 'F-22',
    fault: 'A notification channel that is unavailable, slow or rate limited',
    promise:
      'A message is retried until it expires, within the channel’s rate limit. Other channels do not wait. The failure stays visible.',
    proofs: [
      { file: 'control-plane/src/notifications/deliverer.test.ts' },
      { file: 'control-plane/src/notifications/next-attempt.property.test.ts' },
      { file: 'control-plane/src/notifications/channels/channel-sender.test.ts', test: 'failures' },
    ],
    notShown: null,
  },
  {
    id: 'F-23',
    fault: 'A region fails for a thousand checks at once',
    promise:
      'A region that alone fails an unlikely share of the catalog loses its vote, whatever accounts measure. An outage everywhere is one digest per channel.',
    proofs: [
      { file: 'acceptance/mesh/region-evidence.test.ts' },
      { file: 'control-plane/src/mesh/assess/region-evidence.test.ts' },
      { file: 'control-plane/src/mesh/assess/assessor-quarantine.test.ts' },
      { file: 'control-plane/src/status/quarantine/quarantine.property.test.ts' },
      { file: 'control-plane/src/alerts/storm.test.ts', test: '1,000 checks that go down at once' },
    ],
    notShown: null,
  },
  {
    id: 'F-29',
    fault: 'Error events far over quota, broken envelopes, decompression bombs',
    promise:
      'The service refuses them with a complete X-Sentry-Rate-Limits header and counts them. Every event answered with 200 is stored or counted once.',
    proofs: [
      { file: 'error-tracking/accept/ingest-routes.test.ts' },
      { file: 'acceptance/errors/sentry-node.test.ts' },
      { file: 'acceptance/errors/kill.test.ts' },
      { file: 'acceptance/errors/kill-parts.test.ts' },
      { file: 'error-tracking/persist/nats.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-31',
    fault: 'The event loop of an agent blocks',
    promise:
      'The agent’s own delay never counts as target latency. A response counts. A timeout or closed connection counts unless the loop blocked for a fifth of the limit.',
    proofs: [
      {
        file: 'acceptance/faults/proofs/parts-away.test.ts',
        test: 'an agent frozen for a minute',
      },
      { file: 'probe-agent/src/run/own-fault.test.ts', test: 'our loop' },
      { file: 'probe-agent/src/run/loop-lag.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-32',
    fault: 'Leaks of memory or descriptors',
    promise: 'Both stay flat under load.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'left no descriptor open' },
      { file: 'probe-agent/src/request/request.test.ts', test: 'leaves no connection behind' },
      { file: 'probe-agent/src/request/body.test.ts', test: 'without end is read to the bound' },
    ],
    notShown: 'memory over an hour; see the soak below',
  },
]
