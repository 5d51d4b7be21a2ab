import { expect, test } from 'vitest'
import { nextPath } from './next-path.ts'

test.each([
  '/dashboard',
  '/dashboard/checks',
  '/dashboard/checks/0190?range=24h&region=fra',
  '/dashboard?a=1',
])('a login leads on to %s', (path) => {
  expect(nextPath(path)).toBe(path)
})

test.each([
  null,
  '',
  '/',
  '//evil.example',
  '/dashboard//evil.example',
  '/\\evil.example',
  '/dashboards',
  'https://evil.example/dashboard',
  'dashboard',
  '/dashboard/\nx',
  '/dashboard/"><script>',
  '/logout',
])('%j leads to the first page', (path) => {
  expect(nextPath(path)).toBe('/dashboard')
})
