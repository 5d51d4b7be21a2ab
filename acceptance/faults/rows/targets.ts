import type { FaultRow } from './row.ts'

/** Targets that are slow, huge, broken or hostile, and names that lead elsewhere. */
export const targetRows: readonly FaultRow[] = [
  {
    id: 'F-08',
    fault: 'A body without end, or one that unpacks into one',
    promise:
      '256 KB are read, unpacked; a second encoding is refused; memory does not grow with the body.',
    proofs: [
      { file: 'probe-agent/src/run/hostile-targets.test.ts' },
      { file: 'probe-agent/src/request/body.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-09',
    fault: 'A server that drips or says nothing',
    promise:
      'The deadline of the attempt holds for all of it together, by the wall clock of the process.',
    proofs: [
      { file: 'probe-agent/src/run/hostile-targets.test.ts' },
      { file: 'probe-agent/src/request/request.test.ts', test: 'ends a' },
      { file: 'probe-agent/src/request/request.test.ts', test: 'holds for all hops together' },
      { file: 'probe-agent/src/probes/journey/deadlines.test.ts' },
      {
        file: 'acceptance/mesh/path.test.ts',
        test: 'a target that hangs fails within its deadline',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-10',
    fault: 'Redirects in a loop, too many, or to where none may go',
    promise:
      'At most 20 hops (three in a journey’s step), each judged anew, by GET and without what was meant for another host; to where none may go is the target’s fault.',
    proofs: [{ file: 'probe-agent/src/request/redirect.test.ts' }],
    notShown: null,
  },
  {
    id: 'F-11',
    fault: 'Names that lead to internal addresses, at once or later; resolvers that fail',
    promise:
      'Each name is looked up once, every address judged, and the judged one connected to. A name that is not resolved counts where the same resolver answers for other names and the zone’s own servers do not contradict; our own resolver failing is no fault of the target.',
    proofs: [
      { file: 'acceptance/faults/proofs/names.test.ts' },
      { file: 'acceptance/faults/proofs/resolving.test.ts' },
      { file: 'probe-agent/src/request/guard.test.ts' },
      { file: 'probe-agent/src/run/guard-routes.test.ts' },
      { file: 'probe-agent/src/run/names.test.ts', test: 'a name that the resolver' },
      { file: 'probe-agent/src/names/query-zone-servers.test.ts' },
      {
        file: 'control-plane/src/notifications/channels/channel-sender.test.ts',
        test: 'addresses',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-14',
    fault: 'A target far away with two address families, one of them broken',
    promise:
      'No outage is invented: the address is chosen by us, and where it does not connect or is silent the other family is tried beside it, and told. An address without a route counts where others of its family are reached.',
    proofs: [
      { file: 'acceptance/faults/proofs/names.test.ts', test: 'a broken address family' },
      { file: 'probe-agent/src/request/guard.test.ts', test: 'IPv6' },
      { file: 'probe-agent/src/request/guard.test.ts', test: 'several addresses' },
      { file: 'probe-agent/src/probes/tcp/probe-tcp.test.ts', test: 'falls back to IPv6' },
      { file: 'probe-agent/src/run/names.test.ts', test: 'an address without a route' },
      { file: 'acceptance/http-servers/servers.test.ts' },
    ],
    notShown: 'a connection that takes 300 ms to open: this kernel has nothing that delays packets',
  },
  {
    id: 'F-26',
    fault: 'TLS that is expired, for another host, old, untrusted, stalled or none',
    promise: 'Each has a reason of its own, and a handshake has no more time than its attempt.',
    proofs: [{ file: 'probe-agent/src/request/tls.test.ts' }],
    notShown: null,
  },
  {
    id: 'F-27',
    fault: 'HTTP that is broken, smuggled, flooded, cut short or reset',
    promise:
      'What browsers read is read and noted; anything else has a named reason. No crash, and no connection used again.',
    proofs: [
      { file: 'probe-agent/src/http1/response-reader.test.ts' },
      { file: 'probe-agent/src/request/request.test.ts' },
      { file: 'probe-agent/src/run/hostile-targets.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-28',
    fault: 'SMTP, TCP and DNS servers that stall, flood, lie or inject',
    promise: 'Bounded in time and bytes, with a named reason.',
    proofs: [
      { file: 'probe-agent/src/probes/smtp/smtp-faults.test.ts' },
      { file: 'probe-agent/src/probes/smtp/reply.test.ts' },
      { file: 'probe-agent/src/probes/tcp/probe-tcp.test.ts' },
      { file: 'probe-agent/src/probes/dns/resolver-faults.test.ts' },
      { file: 'probe-agent/src/probes/dns/query.test.ts' },
    ],
    notShown: null,
  },
]
