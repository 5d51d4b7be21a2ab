import { pinOf, pinsMax } from '@probe-mesh/contracts/target/server-identity'
import type { Command } from './command.ts'

/** The pins of a check by the command's last `--pinnedpubkey` (S-352); undefined: none, with what is wrong in `problems`. */
export const pinsOf = (url: URL, { pins: given, notes, problems }: Command): string[] | undefined => {
  const value = given.at(-1)
  if (value === undefined) return undefined
  for (const each of given.slice(0, -1))
    notes.add(`--pinnedpubkey ${each.slice(0, 200)} is left out. curl uses the last.`)
  if (!value.startsWith('sha256//')) {
    problems.push(
      `--pinnedpubkey ${value.slice(0, 200)}: A check reads no files. Write the SHA-256 of the public key, as sha256//….`,
    )
    return undefined
  }
  if (url.protocol === 'http:') {
    notes.add('--pinnedpubkey is left out. There is no public key without https.')
    return undefined
  }
  const pins = [...new Set(value.split(/;(?=sha256\/\/)/))]
  const wrong = pins.filter((pin) => pinOf(pin) === null)
  for (const pin of wrong)
    problems.push(`--pinnedpubkey ${pin.slice(0, 200)}: It is no SHA-256 in base64 with = at its end.`)
  if (pins.length > pinsMax)
    problems.push(`--pinnedpubkey has ${pins.length} pins; a check has ${pinsMax} at most.`)
  return pins
}
