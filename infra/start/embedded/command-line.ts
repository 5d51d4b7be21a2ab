import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const psTimeoutMs = 5_000

/**
 * Returns the command line of a running process, its arguments joined by spaces; null if no such process
 * runs. A zombie counts as ended.
 */
export const commandLine = async (pid: number): Promise<string | null> => {
  const text = existsSync('/proc/self/cmdline')
    ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    : await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { timeout: psTimeoutMs }).then(
        ({ stdout }) => stdout.trimEnd(),
        () => '',
      )
  return text === '' ? null : text.replace(/\0$/, '').replaceAll('\0', ' ')
}
