import {
  ban,
  clickhouse,
  effects,
  fastify,
  nats,
  otherPrograms,
  outer,
  postgres,
  programs,
  restricted,
  workspaces,
} from './ban.ts'

/** runtime, contracts, what stands on it alone, and the agent. */
export const sharedRules = [
  restricted(
    ['runtime/src/**/*.ts'],
    [
      workspaces(['contracts', 'bus', ...programs, ...outer], 'runtime imports nothing of ours.'),
      fastify,
      postgres,
      clickhouse,
      nats,
    ],
  ),
  restricted(
    ['contracts/src/**/*.ts'],
    [
      workspaces(['bus', ...programs, ...outer], 'contracts knows runtime only.'),
      fastify,
      postgres,
      clickhouse,
    ],
  ),
  restricted(
    ['bus/src/**/*.ts'],
    [
      workspaces([...programs, ...outer], 'bus knows runtime and contracts only.'),
      fastify,
      postgres,
      clickhouse,
      nats,
    ],
  ),
  restricted(
    ['bus/src/nats/**/*.ts'],
    [
      workspaces([...programs, ...outer], 'bus knows runtime and contracts only.'),
      fastify,
      postgres,
      clickhouse,
    ],
  ),
  restricted(
    ['probe-agent/src/**/*.ts'],
    [otherPrograms('probe-agent'), fastify, postgres, clickhouse, nats],
  ),
  restricted(
    ['probe-agent/src/judge/**/*.ts'],
    [
      otherPrograms('probe-agent'),
      effects,
      ban(['@probe-mesh/bus', '@probe-mesh/bus/*'], 'Judging is pure.'),
    ],
  ),
]
