import { expect, test } from 'vitest'
import { inOwnCommands, ownCommand } from './own-command.ts'

const agent = { script: 'agent', command: 'probe-mesh-agent' }
const from = (file: string, isOneFile = false) => ({ argv: ['/usr/bin/node', file], isOneFile })

test.for([
  [
    'a checkout',
    agent,
    from('/work/.cache/bundles/agent/1-2/agent.mjs'),
    'npm run agent',
    'npm run agent --',
  ],
  ['sources', agent, from('/work/infra/start/processes/agent.ts'), 'npm run agent', 'npm run agent --'],
  [
    'npm start',
    { script: 'start', command: 'probe-mesh-server' },
    from('/work/main.ts'),
    'npm start',
    'npm start --',
  ],
  [
    'an installed copy',
    agent,
    from('/usr/lib/probe-mesh/program/agent/agent.mjs'),
    'probe-mesh-agent',
    'probe-mesh-agent',
  ],
  ['one file under a name of its own', agent, from('./agent-1.0', true), 'agent-1.0', 'agent-1.0'],
] as const)('%s is told how it is started', ([, names, how, call, withFlags]) => {
  expect(ownCommand(names, how)).toEqual({ call, withFlags })
})

test("an installed copy's advice names its own commands, and a checkout's those of npm", () => {
  const advice = 'run "npm run -s admin -- agent enroll", "npm run nats-config -- --regions a" or npm start'
  const [, file = ''] = from('/opt/x/program/admin/admin.mjs').argv
  expect(inOwnCommands(advice, ['node', file])).toBe(
    'run "probe-mesh-admin agent enroll", "probe-mesh-nats-config --regions a" or probe-mesh-server',
  )
  expect(inOwnCommands(advice, ['node', '/x/main.ts'])).toBe(advice)
})
