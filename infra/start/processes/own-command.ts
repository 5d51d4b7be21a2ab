import { basename } from 'node:path'
import { isSea } from 'node:sea'

/** How a person starts a program: without and with flags. */
export type OwnCommand = { readonly call: string; readonly withFlags: string }

/** An installed copy has each program in a folder of its name, below one named program. */
const installed = /\/program\/([^/]+)\/\1\.mjs$/

/**
 * How this process's program is started where it runs: by npm in a checkout, by its command where it is installed, by
 * its file where it is one.
 * @param script of package.json, such as `agent` or `start`
 * @param command of an installed copy
 */
export const ownCommand = (
  { script, command }: { script: string; command: string },
  { argv, isOneFile }: { argv: readonly string[]; isOneFile: boolean } = {
    argv: process.argv,
    isOneFile: isSea(),
  },
): OwnCommand => {
  if (isOneFile) {
    const name = basename(argv[1] ?? command)
    return { call: name, withFlags: name }
  }
  if (installed.test(argv[1] ?? '')) return { call: command, withFlags: command }
  const call = script === 'start' ? 'npm start' : `npm run ${script}`
  return { call, withFlags: `${call} --` }
}

const scripts =
  /npm run (?:-s )?(admin|agent|control-plane|mcp-gateway|nats-config)(?: --)?(?![\w-])|npm start(?: --)?(?![\w-])/g

/**
 * A text for operators that names commands of a checkout, with those of an installed copy where this is one.
 * @example `npm run -s admin -- doctor` becomes `probe-mesh-admin doctor`
 */
export const inOwnCommands = (text: string, argv: readonly string[] = process.argv): string =>
  installed.test(argv[1] ?? '')
    ? text.replaceAll(scripts, (_, name: string | undefined) => `probe-mesh-${name ?? 'server'}`)
    : text
