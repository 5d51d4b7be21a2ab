import { delimiter, join } from 'node:path'
import { isExecutable } from '@probe-mesh/infra/testing/debian-binary'

/** The path of a program of this machine. @throws Error if there is none */
export const findInPath = async (name: string): Promise<string> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name)
  }
  throw new Error(`no ${name}: install it so that it is in PATH`)
}
