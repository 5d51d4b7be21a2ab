import type { CommandSpec } from '../command-line/command-spec.ts'
import { bashScript } from './bash-script.ts'
import { fishScript } from './fish-script.ts'
import { shellWords } from './shell-words.ts'
import type { ShellWords } from './shell-words.ts'
import { zshScript } from './zsh-script.ts'

const scripts = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
} as const satisfies Record<string, (words: ShellWords) => string>

export type Shell = keyof typeof scripts

/** The shell of this name; null where there is no completion for it. */
export const shellOf = (name: string): Shell | null =>
  Object.hasOwn(scripts, name) ? (name as Shell) : null

/** The completion of every command for a shell: a text that it reads once and that calls nothing. */
export const completionScript = (shell: Shell, commands: readonly CommandSpec[]): string =>
  scripts[shell](shellWords(commands))
