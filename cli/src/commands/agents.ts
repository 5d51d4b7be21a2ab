import { defineCommand, text } from '../command-line/command-spec.ts'
import { keyed } from '../command-line/common-options.ts'

export const agents = defineCommand({
  name: 'agents',
  summary: "List, enroll, rotate or revoke the account's private agents",
  details: [
    'A private agent runs in your network and measures what only that reaches; what it may reach is said on its machine, in PRIVATE_TARGETS. A check runs from it where its regions are [private-<id of the agent>], and nothing else.',
    'enroll and rotate write the token, which is shown this once, to a file of --out that is not there yet, or to standard output. A rotated token, and a revoked agent, are good for nothing at once.',
  ],
  positional: [
    {
      name: '[act]',
      description: 'list, which is what it does without, enroll, rotate or revoke',
      completes: ['list', 'enroll', 'rotate', 'revoke'],
    },
    { name: '[agent]', description: 'a name, or for rotate and revoke an id' },
  ],
  options: {
    out: text('-o, --out <file>', 'where the token goes, readable by you alone', {
      completes: 'file',
    }),
    ...keyed,
  },
  examples: [
    ['service agents', 'the agents, and whether each is there'],
    ['service agents enroll office --out office.token', 'a token for a new agent'],
    ['service agents revoke office', 'lets it in no more'],
  ],
  load: async () => (await import('../acts/agents.ts')).actOnAgents,
})
