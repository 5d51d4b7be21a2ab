import { expect, test } from 'vitest'
import { parseAccountAllow } from './account-allow.ts'

const one = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const other = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f71'

test('a CIDR applies to all accounts, and one with an account id only to that account', () => {
  const parsed = parseAccountAllow(['10.0.0.0/8', `127.0.0.1@${one.toUpperCase()}`, `fd00::/8@${one}`])
  if (!parsed.ok) throw new Error(parsed.problems.join())
  const opened = (accountId: string | null): string[] => {
    const allow = accountId === null ? parsed.allow : parsed.allow.ofAccount(accountId)
    return ['10.1.2.3', '127.0.0.1', 'fd00::1', '192.168.0.1'].filter(allow.covers)
  }
  expect(opened(null)).toEqual(['10.1.2.3'])
  expect(opened(other)).toEqual(['10.1.2.3'])
  expect(opened(one)).toEqual(['10.1.2.3', '127.0.0.1', 'fd00::1'])
  expect(parsed.allow.cidrs).toEqual(['10.0.0.0/8'])
})

test('lists a problem for each invalid entry at once', () => {
  const wrong = ['10.0.0.0/40', '10.0.0.0/8@acme', `nowhere@${one}`, `10.0.0.0/8@${one}@${one}`]
  const parsed = parseAccountAllow([...wrong, '10.0.0.0/8'])
  expect(parsed.ok).toBe(false)
  expect(parsed.ok ? [] : parsed.problems).toEqual([
    '"10.0.0.0/40" is not a CIDR, such as 10.0.0.0/8 or fd00::/8',
    `"10.0.0.0/8@acme" does not name an account by its id, such as 10.0.0.0/8@${one}`,
    `"nowhere@${one}" is not a CIDR, such as 10.0.0.0/8 or fd00::/8`,
    `"10.0.0.0/8@${one}@${one}" does not name an account by its id, such as 10.0.0.0/8@${one}`,
  ])
})
