import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from './find-chromium.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-chromium-'))
  mkdirSync(join(folder, 'empty'))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'google-chrome'), '#!/bin/sh\n')
  chmodSync(join(folder, 'bin', 'google-chrome'), 0o755)
  writeFileSync(join(folder, 'plain'), 'text')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the path of Chromium', () => {
  test('is none for `off`', () => {
    expect(findChromium('off', join(folder, 'bin'))).toEqual({ ok: true, path: null })
  })

  test('is the given path if it is executable', () => {
    const path = join(folder, 'bin', 'google-chrome')
    expect(findChromium(path, '')).toEqual({ ok: true, path })
  })

  test.each(['plain', 'bin', 'nothing'])('%s is not a program and a problem', (name) => {
    expect(findChromium(join(folder, name), '')).toMatchObject({ ok: false })
  })

  test('a relative path is a problem', () => {
    expect(findChromium('chromium', join(folder, 'bin'))).toMatchObject({ ok: false })
  })

  test('is searched by default, also in absolute folders of PATH', () => {
    const searched = findChromium(null, `relative:${join(folder, 'empty')}:${join(folder, 'bin')}`)
    expect(searched.ok && searched.path).toMatch(/^\/.*(chromium|chromium-browser|google-chrome)$/)
  })
})
