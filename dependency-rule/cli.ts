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
const commander = ban(['commander'], 'Only command-line/ parses one.')
const screens = ban(['ink', 'react', 'react/*'], 'Only top/ draws on a screen.')
const untilCalled = ban(
  ['zod', 'yaml', '@probe-mesh/contracts', '@probe-mesh/contracts/*'],
  'A command loads nothing before it is called: its act does.',
)

/** From above: what stands further down may not import it. */
const layers = [
  ['commands'],
  ['actions', 'command-line', 'completion', 'docs'],
  ['top'],
  ['api', 'import', 'show'],
  ['apply'],
  ['plan'],
  ['file', 'terminal'],
] as const
const own = '!./*'
const only = [own, '!yaml', '!@probe-mesh', '!@probe-mesh/contracts', '!@probe-mesh/contracts/*']
const decides = new Set(['plan', 'show', 'completion', 'docs'])

const aboveTop = [folders(['commands', 'actions', 'command-line'], 'actions, top, api: downward.')]

/** commands, actions, what they act with, api, apply, plan, file: downward only; each technology has its place. */
export const cliRules = [
  restricted(['cli/src/**/*.ts'], [...cli, commander, screens]),
  ...layers.flatMap((names, at) =>
    names.map((name) =>
      restricted(
        [`cli/src/${name}/**/*.ts`],
        [
          ...cli,
          screens,
          ...(name === 'command-line' ? [] : [commander]),
          ...(name === 'command-line' || name === 'commands' ? [untilCalled] : []),
          ...(decides.has(name) ? [effects] : []),
          folders(
            layers.slice(0, at).flat(),
            'commands, actions, api, apply, plan, file: downward.',
          ),
        ],
      ),
    ),
  ),
  restricted(['cli/src/top/*.ts'], [...cli, commander, ...aboveTop]),
  restricted(
    ['cli/src/top/view/**/*.ts'],
    [...cli, commander, ...aboveTop, folders(['feed'], 'The view draws what the model says.')],
  ),
  restricted(
    ['cli/src/top/feed/**/*.ts'],
    [...cli, commander, screens, ...aboveTop, folders(['view'], 'The feed fills the model.')],
  ),
  restricted(
    ['cli/src/top/model/**/*.ts'],
    [...cli, commander, screens, effects, ...aboveTop, folders(['feed', 'view'], 'It is pure.')],
  ),
  restricted(['cli/src/file/**/*.ts'], [ban(['*', ...only], 'It knows contracts and yaml only.')]),
]
