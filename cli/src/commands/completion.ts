import { defineCommand } from '../command-line/command-spec.ts'
import type { CommandSpec } from '../command-line/command-spec.ts'
import { common } from '../command-line/common-options.ts'

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
    load: async () => (await import('../acts/completion.ts')).printCompletion(commands()),
  })
