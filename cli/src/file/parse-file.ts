/* eslint-disable no-control-regex */

import { atOf, checkValues } from './check-values.ts'
import { fileLimits, type ChecksFile } from './checks-file.ts'
import type { Node } from './node.ts'
import { lineStarts, positionOf, withoutByteOrderMark, type Position } from './position.ts'
import type { Problem } from './problems.ts'
import { readJson } from './read-json.ts'
import { readYaml } from './read-yaml.ts'

type ParsedFile = { ok: true; file: ChecksFile; placeOf: PlaceOf } | { ok: false; problems: Problem[] }

/** Where a field of a check stands, by the check's index and a path as the API writes it; else where the check does. */
export type PlaceOf = (index: number, path: string) => Position

/**
 * Reads a file of checks. The whole file is validated before anything is sent, and all problems are
 * listed at once. Never throws.
 * @param text with or without a byte order mark, with either line ending
 * @returns the checks in file order, or every problem in text order
 */
export const parseChecksFile = (text: string, format: 'yaml' | 'json'): ParsedFile => {
  if (text.length > fileLimits.textCharactersMax) {
    const message = `the file has more than ${fileLimits.textCharactersMax} characters`
    return { ok: false, problems: [{ line: 1, column: 1, path: '', message }] }
  }
  const source = withoutByteOrderMark(text)
  const starts = lineStarts(source)
  const found: { at: number; path: string; message: string }[] = []
  let unlisted = 0
  const report = (at: number, path: string, message: string): void => {
    if (found.length < fileLimits.problemsMax) found.push({ at, path, message })
    else unlisted += 1
  }
  const reportText = (at: number, message: string): void => report(at, '', message)
  if (format === 'yaml') for (const { at, message } of unprintable(source)) reportText(at, message)
  const { root, brokenAt } =
    format === 'yaml'
      ? readYaml(source, reportText)
      : { root: readJson(source, reportText), brokenAt: Number.POSITIVE_INFINITY }
  if (root === null && found.length === 0) reportText(0, 'the file is empty')
  // below wrong syntax a value may belong to another field
  const reportValue: typeof report = (at, path, message) => {
    if (at < brokenAt) report(at, path, message)
  }
  const checks = root === null ? [] : checkValues(root, reportValue, (at) => positionOf(starts, at))
  if (found.length === 0) {
    const placeOf: PlaceOf = (index, path) => positionOf(starts, offsetOf(root, index, path))
    return { ok: true, file: { version: 1, checks }, placeOf }
  }
  const problems = found
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, path, message }) => ({ ...positionOf(starts, at), path, message }))
  const last = problems.at(-1)
  if (unlisted > 0 && last !== undefined) {
    problems.push({ ...last, path: '', message: `and ${unlisted} more problems` })
  }
  return { ok: false, problems }
}

const offsetOf = (root: Node | null, index: number, path: string): number => {
  const checks = root?.kind === 'map' ? root.entries.get('checks')?.value : undefined
  const check = checks?.kind === 'list' ? checks.items[index] : undefined
  if (check?.kind !== 'map') return 0
  const [, field, item] = /^(\w+)(?:\[(\d+)\])?$/.exec(path) ?? []
  return atOf(check, field === undefined ? ['name'] : [field, Number(item)])
}

/** What YAML 1.2 does not print (5.1), an inner byte order mark, and a lone carriage return. */
const characters =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff\ud800-\udfff]|\r(?!\n)/gu

/** @returns every character that must be escaped in double quotes */
export function* unprintable(text: string): Generator<{ at: number; message: string }, undefined> {
  for (const { 0: character, index } of text.matchAll(characters)) {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    yield {
      at: index,
      message: `the character U+${code.toUpperCase()} is not supported: write "\\u${code}" in double quotes`,
    }
  }
}
