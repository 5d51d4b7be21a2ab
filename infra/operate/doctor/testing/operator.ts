import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runAdmin } from '../../admin/admin.ts'
import type { Finding } from '../findings/finding.ts'

/** Runs commands as an operator, with the environment of a control plane. */
export type Operator = {
  /** @returns its output @throws Error with its output if it fails */
  admin(argv: readonly string[]): Promise<string>
  doctor(): Promise<Finding[]>
  /** Runs the doctor in a process of its own, with more environment. */
  doctorWith(environment: Readonly<Record<string, string>>): Promise<Finding[]>
  /** Sets the clock error of the doctor's machine. */
  skewDoctor(ms: number): void
}

const main = fileURLToPath(new URL('../../admin/main.ts', import.meta.url))
/** Gives a process the clock error in `SKEW_FILE`. */
export const skewShim = new URL('../../../testing/skew.ts', import.meta.url).href

export const createOperator = (folder: string, environment: Readonly<Record<string, string>>): Operator => {
  let skewMs = 0
  const admin = async (argv: readonly string[]): Promise<string> => {
    const printed = { out: '', error: '' }
    const code = await runAdmin(argv, environment, {
      out: (text) => void (printed.out += text),
      error: (text) => void (printed.error += text),
    })
    // doctor exits with 1 if something is broken
    if (code !== 0 && argv[0] !== 'doctor') throw new Error(printed.error)
    return printed.out
  }
  const inProcess = (more: Readonly<Record<string, string>>): Promise<string> => {
    const env = { PATH: process.env['PATH'], ...environment, ...more }
    return new Promise((resolve) => {
      execFile(process.execPath, [main, 'doctor', '--json'], { env }, (_error, out) => resolve(out))
    })
  }
  const onOtherClock = async (): Promise<string> => {
    const file = join(folder, 'own-skew')
    await writeFile(file, String(skewMs))
    return inProcess({ NODE_OPTIONS: `--import ${skewShim}`, SKEW_FILE: file })
  }
  const findingsOf = (out: string): Finding[] => (JSON.parse(out) as { findings: Finding[] }).findings
  return {
    admin,
    doctor: async () => {
      const out = await (skewMs === 0 ? admin(['doctor', '--json']) : onOtherClock())
      return findingsOf(out)
    },
    doctorWith: async (more) => findingsOf(await inProcess(more)),
    skewDoctor: (ms) => {
      skewMs = ms
    },
  }
}
