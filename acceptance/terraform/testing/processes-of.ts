import { readFile, readdir } from 'node:fs/promises'

/** The processes of a built provider: those whose command line names its folder. */
export const processesOf = async (folder: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_, n) => lines[n]?.includes(`${folder}/terraform-provider-service`)).map(Number)
}
