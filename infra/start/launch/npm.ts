import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const outputBytesMax = 64 * 1024 * 1024
const npmMsMax = 120_000

/** Runs npm: the one that started this process, if any. @returns its output */
export const runNpm = async (args: readonly string[], cwd: string): Promise<string> => {
  const script = process.env['npm_execpath']
  const isScript = script !== undefined && script.endsWith('npm-cli.js')
  const [command, ...before] = isScript ? [process.execPath, script] : ['npm']
  const options = { cwd, maxBuffer: outputBytesMax, timeout: npmMsMax }
  return (await run(command ?? 'npm', [...before, ...args], options)).stdout
}
