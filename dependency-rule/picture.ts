import { floorsOf } from './judge-imports.ts'
import type { Package } from './room.ts'

const begin = '<!-- rooms: written by `npm run docs` -->'
const end = '<!-- end of rooms -->'

/** Rooms without those that only tests use. */
const built = (one: Package): Package => ({
  ...one,
  rooms: one.rooms.filter(({ name }) => name !== 'testing' && name !== 'contract-suite'),
})

const floors = (one: Package): string[] => [
  '```',
  ...floorsOf(built(one)).map((rooms) => rooms.map(({ name }) => name).join('   ')),
  '```',
]

const list = (rows: readonly { name: string; about: string }[]): string[] =>
  rows.map(({ name, about }) => `- \`${name}\`: ${about}`)

/**
 * `ARCHITECTURE.md` with the picture of the rule: every package, and the rooms of the control plane on their
 * floors, the top floor first. A room imports only rooms below it. Pure.
 * @throws where the text has no place for it
 */
export const withPicture = (text: string, packages: readonly Package[]): string => {
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  const plane = packages.find(({ name }) => name === 'control-plane')
  if (before === undefined || after === undefined || plane === undefined) {
    throw new Error(`the text has no place for the rooms: "${begin}" and "${end}"`)
  }
  const lines = [
    begin,
    '',
    ...list(packages),
    '',
    '`control-plane/src`, one floor a line. A folder imports only folders on the floors below its own:',
    '',
    ...floors(plane),
    '',
    ...list(built(plane).rooms),
    '',
    end,
  ]
  return before + lines.join('\n') + after
}
