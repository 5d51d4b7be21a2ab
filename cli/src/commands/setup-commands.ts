import {
  commonOptions,
  defineCommand,
  keyOptions,
  text,
  type CommandSpec,
} from '../command-line/command-spec.ts'

export const agents = defineCommand({
  name: 'agents',
  summary: "List, enroll, rotate or revoke the account's private agents",
  details: [
    'A private agent runs in your network and measures what only that network can reach. PRIVATE_TARGETS on its machine sets which addresses it may probe. To run a check from it, set the regions of the check to [private-<id of the agent>] and nothing else.',
    'enroll and rotate show the token once: in the new file named by --out, or on standard output. A rotated token or a revoked agent stops working at once.',
  ],
  positional: [
    {
      name: '[act]',
      description: 'list (the default), enroll, rotate or revoke',
      completes: ['list', 'enroll', 'rotate', 'revoke'],
    },
    { name: '[agent]', description: 'the name of the agent; rotate and revoke also accept its id' },
  ],
  options: {
    out: text('-o, --out <file>', 'new file for the token, readable only by you', {
      completes: 'file',
    }),
    ...keyOptions,
  },
  examples: [
    ['probe-mesh agents', 'list the agents and whether each is online'],
    ['probe-mesh agents enroll office --out office.token', 'enroll an agent and write its token to a file'],
    ['probe-mesh agents revoke office', 'revoke its access'],
  ],
  load: async () => (await import('../actions/agents.ts')).manageAgents,
})

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check that the command line works, and suggest fixes',
  details: [
    'Examines Node, the terminal, the API address and the network path to it, the clock, the key, its remaining limits, and whether its checks have fresh readings. It changes nothing.',
    'Exits 1 if something fails; warnings do not count.',
  ],
  positional: [],
  options: keyOptions,
  examples: [
    ['probe-mesh doctor', 'show what works and what does not'],
    [
      'probe-mesh doctor --json | jq \'.findings[] | select(.level != "ok")\'',
      'show only warnings and failures',
    ],
  ],
  load: async () => (await import('../actions/doctor.ts')).doctor,
})

/** @param commands all commands, including this one */
export const completion = (commands: () => readonly CommandSpec[]): CommandSpec =>
  defineCommand({
    name: 'completion',
    summary: 'Print the completion script for a shell',
    details: [
      'bash: write it to a file and source that file in ~/.bashrc: source ~/.service-completion.bash. It needs bash 3.2 or newer and nothing else.',
      'zsh: write it as _service to a folder that is in $fpath before compinit runs, or source it in ~/.zshrc after compinit.',
      'fish: write it to ~/.config/fish/completions/service.fish, and to probe-mesh.fish in the same folder if you use that name.',
      'The script sends no request when you press TAB. It knows the commands of this version: print it again after an update.',
    ],
    positional: [
      {
        name: '<shell>',
        description: 'bash, zsh or fish',
        completes: ['bash', 'zsh', 'fish'],
      },
    ],
    options: commonOptions,
    examples: [
      ['probe-mesh completion bash > ~/.service-completion.bash', 'for bash; source the file in ~/.bashrc'],
      ['probe-mesh completion zsh > ~/.zfunc/_service', 'for zsh, with ~/.zfunc in its fpath'],
      ['probe-mesh completion fish > ~/.config/fish/completions/service.fish', 'for fish'],
    ],
    load: async () => (await import('../completion/completion-script.ts')).printCompletion(commands()),
  })
