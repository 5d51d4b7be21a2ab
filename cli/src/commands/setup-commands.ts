import { common, defineCommand, keyed, text } from '../command-line/command-spec.ts'
import type { CommandSpec } from '../command-line/command-spec.ts'

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

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Look for what keeps the command line from working, and say what to do',
  details: [
    'Looks at Node, the terminal, the address of the API and the way there, the clock, the key, what is left of its limits, and whether its checks have fresh readings. Nothing is changed.',
    'Exits 1 where something fails; a warning is no failure.',
  ],
  positional: [],
  options: keyed,
  examples: [
    ['service doctor', 'what works and what does not'],
    ['service doctor --json | jq \'.findings[] | select(.level != "ok")\'', 'only what does not'],
  ],
  load: async () => (await import('../acts/doctor.ts')).doctor,
})

/** @param commands what is completed, which this command is one of */
export const completion = (commands: () => readonly CommandSpec[]): CommandSpec =>
  defineCommand({
    name: 'completion',
    summary: 'Print what makes a shell complete these commands',
    details: [
      'bash: write it to a file, and read that file in ~/.bashrc: source ~/.service-completion.bash. bash 3.2 and later, nothing else is needed.',
      'zsh: write it as _service to a folder of $fpath that stands there before compinit runs, or read it in ~/.zshrc below compinit.',
      'fish: write it to ~/.config/fish/completions/service.fish, and to probe-mesh.fish beside it if the tool is called by that name.',
      'What is printed asks nothing at a TAB. It knows the commands of this version: print it again after an update.',
    ],
    positional: [
      {
        name: '<shell>',
        description: 'bash, zsh or fish',
        completes: ['bash', 'zsh', 'fish'],
      },
    ],
    options: common,
    examples: [
      [
        'service completion bash > ~/.service-completion.bash',
        'for bash, which ~/.bashrc then reads',
      ],
      ['service completion zsh > ~/.zfunc/_service', 'for zsh, with ~/.zfunc in its fpath'],
      ['service completion fish > ~/.config/fish/completions/service.fish', 'for fish'],
    ],
    load: async () =>
      (await import('../completion/completion-script.ts')).printCompletion(commands()),
  })
