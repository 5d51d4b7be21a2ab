import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'

const run = promisify(execFile)
const actMsMax = 20_000

/** A real terminal with one program in it. */
export type Terminal = {
  /** The text on the screen, without spaces at the ends of lines. */
  screen(): Promise<string>
  /** The same with the lines above, up to 2,000. */
  printed(): Promise<string>
  /** Whether the program uses the alternate screen, and whether the cursor is visible. */
  mode(): Promise<{ isAlternate: boolean; hasCursor: boolean }>
  /** Sends a signal to the current program. */
  signal(name: NodeJS.Signals): Promise<void>
  /** Presses keys in order, by their names in tmux, such as `Enter` or `C-c`. */
  press(...keys: readonly string[]): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  close(): Promise<void>
}

/** @param options.command for the shell. @param options.environment its whole environment */
export const startTerminal = async (options: {
  command: string
  columns: number
  rows: number
  environment: Readonly<Record<string, string>>
}): Promise<Terminal> => {
  const program = await findDebianProgram('tmux')
  const socket = `probe-mesh-${randomBytes(6).toString('hex')}`
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const given = ['-u', '-L', socket, '-f', '/dev/null', ...args]
    const { stdout } = await run(program, given, { env: options.environment, timeout: actMsMax })
    return stdout
  }
  const size = ['-x', String(options.columns), '-y', String(options.rows)]
  await tmux('new-session', '-d', ...size, options.command)
  return {
    screen: async () => trimmed(await tmux('capture-pane', '-p')),
    printed: async () => trimmed(await tmux('capture-pane', '-p', '-S', '-')),
    mode: async () => {
      const [alternate, cursor] = (await tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}'))
        .trim()
        .split(' ')
      return { isAlternate: alternate === '1', hasCursor: cursor === '1' }
    },
    signal: async (name) => {
      const shell = (await tmux('display-message', '-p', '#{pane_pid}')).trim()
      const children = await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8')
      process.kill(Number(children.trim().split(' ').at(-1)), name)
    },
    press: async (...keys) => {
      for (const key of keys) await tmux('send-keys', key)
    },
    resize: async (columns, rows) => {
      await tmux('resize-window', '-x', String(columns), '-y', String(rows))
    },
    close: async () => {
      await tmux('kill-server').catch(() => undefined)
    },
  }
}

const trimmed = (text: string): string => text.replace(/[^\S\n]+$/gm, '')
