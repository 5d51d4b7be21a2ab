import { basename } from 'node:path'

/** What this process was called as: `service`, or `probe-mesh`, which shadows no command of a server. */
export type Program = 'service' | 'probe-mesh'

export const programOf = (path: string | undefined): Program =>
  /^service(\.\w+)?$/.test(basename(path ?? '')) ? 'service' : 'probe-mesh'

export const program: Program = programOf(process.argv[1])

/** Our texts name `probe-mesh`: this names what was called, in command lines only. */
export const called = (text: string, as: Program = program): string =>
  as === 'probe-mesh' ? text : text.replaceAll(/\bprobe-mesh(?= [a-z<])/g, as)
