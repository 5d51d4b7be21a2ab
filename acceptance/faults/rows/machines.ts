import type { FaultRow } from './row.ts'

/** Clocks, disks, memory and load: the machines that the mesh runs on. */
export const machineRows: readonly FaultRow[] = [
  {
    id: 'F-15',
    fault: 'Clocks that are wrong, or are put forward or back',
    promise:
      'Durations come from a clock that only goes forward; an agent whose clock is off goes by the control planes’, and says so; no slot runs twice; a reading from a clock ahead counts as measured when it arrived, and is put aside from a minute on.',
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
    fault: 'Messages that nobody can read',
    promise: 'They are put aside and counted, and those beside them are stored.',
    proofs: [
      { file: 'control-plane/src/mesh/ingest/ingester.test.ts' },
      {
        file: 'control-plane/src/error-tracking/persist/persister.test.ts',
        test: 'keeps unreadable messages as poison',
      },
      { file: 'control-plane/src/error-tracking/persist/refused.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-17',
    fault: 'Disks that are full',
    promise:
      'An agent goes on measuring: readings that are up give way first, and each drop is counted. A store without room refuses whole.',
    proofs: [
      { file: 'acceptance/faults/proofs/full-disk.test.ts' },
      { file: 'bus/src/log/disk-full.test.ts' },
      { file: 'probe-agent/src/deliver/spool/spool.test.ts' },
      { file: 'probe-agent/src/deliver/publisher.test.ts', test: 'what the disk did not take' },
      { file: 'control-plane/src/stores/postgres/transact.test.ts', test: 'a server without room' },
    ],
    notShown: null,
  },
  {
    id: 'F-21',
    fault: 'Clocks that change for the summer',
    promise: 'A job is expected once, at its time or right after the gap, in every zone.',
    proofs: [{ file: 'control-plane/src/heartbeats/schedule.test.ts' }],
    notShown: null,
  },
  {
    id: 'F-22',
    fault: 'A notification channel that is away, slow or asks for fewer messages',
    promise:
      'It is tried again for as long as a message is of use, never more often than asked, and holds up nobody else; a failure stays visible.',
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
      'A region that alone fails an unlikely share of the catalog loses its vote and accuses nobody, whatever accounts measure; what is down everywhere is one digest a channel.',
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
    fault:
      'Error events far beyond what is allowed, broken envelopes, bodies that unpack without end',
    promise:
      'Refused with the whole X-Sentry-Rate-Limits and counted; every event answered 200 is stored or counted, once.',
    proofs: [
      { file: 'control-plane/src/error-tracking/accept/error-ingest.test.ts' },
      { file: 'acceptance/errors/sentry-node.test.ts' },
      { file: 'acceptance/errors/kill.test.ts' },
      { file: 'acceptance/errors/kill-parts.test.ts' },
      { file: 'control-plane/src/error-tracking/persist/nats.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-31',
    fault: 'The event loop of an agent stands still',
    promise:
      'No latency of ours is said to be the target’s. An answer that came counts; a time-out or a closed connection counts unless the loop stood still for a fifth of the limit.',
    proofs: [
      {
        file: 'acceptance/faults/proofs/parts-away.test.ts',
        test: 'an agent that stands still for a minute',
      },
      { file: 'probe-agent/src/run/own-fault.test.ts', test: 'our loop' },
      { file: 'probe-agent/src/run/loop-lag.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-32',
    fault: 'Memory or descriptors that leak',
    promise: 'Both stay flat under load.',
    proofs: [
      { file: 'acceptance/faults/proofs/parts-away.test.ts', test: 'left no descriptor open' },
      { file: 'probe-agent/src/request/request.test.ts', test: 'leaves no connection behind' },
      { file: 'probe-agent/src/request/body.test.ts', test: 'without end is read to the bound' },
    ],
    notShown: 'memory over an hour, which is the soak below',
  },
]
