import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Has every Node of an environment write down the CPU it took, when it ends. */
export type CpuRecord = {
  readonly environment: { NODE_OPTIONS: string }
  /** User and system of each process since the last question, ms. */
  take(): Promise<number[]>
}

export const createCpuRecord = async (folder: string): Promise<CpuRecord> => {
  const [script, record] = [join(folder, 'record.cjs'), join(folder, 'cpu.txt')]
  await writeFile(script, scriptOf(record))
  return {
    environment: { NODE_OPTIONS: `--require=${script}` },
    take: async () => {
      const lines = (await readFile(record, 'utf8')).trim().split('\n')
      await rm(record)
      return lines.map((microseconds) => Number(microseconds) / 1_000)
    },
  }
}

const scriptOf = (record: string): string => `process.once('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').appendFileSync(${JSON.stringify(record)}, user + system + '\\n')
})
`
