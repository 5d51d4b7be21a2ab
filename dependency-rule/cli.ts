import {
  ban,
  bus,
  clickhouse,
  effects,
  fastify,
  folders,
  nats,
  otherPrograms,
  postgres,
  restricted,
} from './ban.ts'

const cli = [otherPrograms('cli'), bus, fastify, postgres, clickhouse, nats]
const only = ['!./*', '!yaml', '!@probe-mesh', '!@probe-mesh/contracts', '!@probe-mesh/contracts/*']
export const cliRules = [
  restricted(['cli/src/file/**/*.ts'], [ban(['*', ...only], 'It knows contracts and yaml only.')]),
  restricted(['cli/src/plan/**/*.ts'], [...cli, effects, folders(['apply'], 'A plan is pure.')]),
  restricted(['cli/src/apply/**/*.ts'], [...cli, folders(['file'], 'It knows the plan only.')]),
]
