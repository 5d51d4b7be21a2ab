import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { loginPools } from '@probe-mesh/contracts/src/account/login-pools'
import {
  knownRule,
  mailRule,
  networkRules,
  signUpRules,
  allUnknownRule,
} from '@probe-mesh/contracts/account/login-rules'
import { createLogin, type LoginContext } from '@probe-mesh/control-plane/src/login/context'
import type { Visitor, Known } from '@probe-mesh/control-plane/src/login/visitor'
import { createHashing } from '@probe-mesh/control-plane/src/login/hashing'
import { attemptsOf, rememberVisitor } from '@probe-mesh/control-plane/src/login/known'
import { createDeviceMarks } from '@probe-mesh/control-plane/src/login/device-marks'
import { requestLink } from '@probe-mesh/control-plane/src/login/request-link'
import { requestSignUp } from '@probe-mesh/control-plane/src/login/request-sign-up'
import { createPasswordEstimator } from '@probe-mesh/control-plane/src/login/passwords/estimator'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'
import { insertUser } from '@probe-mesh/control-plane/src/login/users-store'
import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { expect, onTestFinished } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { testSql } from './database.ts'
import { turnsCase } from './turns.ts'

/** A password whose estimate takes the longest: each character may stand for several letters. */
export const slowestPassword = '4@8({[<3690!|1$570+2%zZ'.repeat(8)

/** Work on a thread. A test cannot hold it, so the order of starts counts. */
const orderCase = (
  bounds: PoolBounds,
  open: () => (owner: string, begins: () => void) => Promise<unknown>,
  isBusy: (answer: unknown) => boolean,
): FairnessCase => {
  const share = bounds.placesOfOwner + bounds.waitingOfOwner
  return {
    crowds: [2, bounds.waiting - 1],
    floor: async (crowd) => {
      const perform = open()
      const each = Math.min(share, Math.ceil((bounds.places + bounds.waiting) / crowd) + 1)
      let begun = 0
      const requests = numbers(each).flatMap(() =>
        numbers(crowd).map((n) => perform(`198.51.100.${n}`, () => void (begun += 1))),
      )
      let before = Number.NaN
      const mine = await perform('newcomer', () => void (before = begun))
      expect(isBusy(mine)).toBe(false)
      // those in progress, and one turn of each other account
      expect(before).toBeLessThanOrEqual(bounds.places + crowd + 1)
      await Promise.all(requests)
    },
    share: async () => {
      const perform = open()
      const answers = await Promise.all(numbers(share + 1).map(() => perform('alone', () => undefined)))
      expect(answers.map(isBusy)).toEqual(numbers(share + 1).map((n) => n === share))
    },
  }
}

const { newPasswords } = loginPools

const isRefused = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'refused' in answer && answer.refused === 'SV-9002'

const hashingCase = (pool: 'strangers' | 'known'): FairnessCase =>
  orderCase(
    loginPools[pool === 'strangers' ? 'passwordsOfStrangers' : 'passwordsOfKnownVisitors'].bounds,
    () => {
      const hashing = createHashing()
      // work in the other pool uses no place here
      return (owner, begins) => {
        // read when the work starts
        const normalize = () => (begins(), 'correct horse battery staple')
        return hashing.hash({ pool, owner }, { normalize } as unknown as string)
      }
    },
    isRefused,
  )

const nowMs = Date.parse('2026-11-23T10:00:00Z')
let emails = 0
const newEmail = (): string => `person-${++emails}@example.org`

const visitorAt = (network: string, browser: string | null = null): Visitor => ({
  address: network,
  network,
  widerNetworks: [],
  browserCookie: browser,
  browser,
  userAgent: 'test',
  token: null,
})
const networkAt = (n: number): string => `203.${Math.floor(n / 250)}.113.${n % 250}`

const openLogin = async (): Promise<LoginContext> => {
  const login = createLogin({
    sql: await testSql(),
    now: () => nowMs,
    marks: createDeviceMarks('the key of the tests'),
    publicUrl: 'http://127.0.0.1:8080',
    signUp: 'by_mail',
    sendsMail: true,
  })
  await login.sql`delete from login_attempts`
  onTestFinished(() => login.estimator.close())
  return login
}
const tooMany = { refused: 'SV-6005' }

/** A user whose browser logged in before. */
const knownUser = async ({ sql, marks }: LoginContext, browser: string) => {
  const [accountId, email] = [uuidv7(nowMs), newEmail()]
  await insertAccount(sql, { id: accountId, name: 'test', tier: 'free', createdAtMs: nowMs })
  const user = { id: uuidv7(nowMs), accountId, email, passwordHash: '', createdAtMs: nowMs }
  await insertUser(sql, user as never)
  await transact(sql, (tx) =>
    rememberVisitor(tx, marks, user as never, visitorAt('192.0.2.200', browser), nowMs),
  )
  return email
}
const mailsTo = async ({ sql }: LoginContext, email: string): Promise<number> =>
  (await sql`select from deliveries where recipient = ${email}`).length

export const loginCases = {
  passwordsOfStrangers: hashingCase('strangers'),
  passwordsOfKnownVisitors: hashingCase('known'),
  newPasswords: {
    ...orderCase(
      loginPools.newPasswords.bounds,
      () => {
        const estimator = createPasswordEstimator()
        onTestFinished(() => estimator.close())
        return async (owner, begins) => {
          const answer = await estimator.weaknessOf(owner, { password: slowestPassword, own: [] })
          // one at a time: they end in the order of their starts
          if (answer !== 'busy') begins()
          return answer
        }
      },
      (answer) => answer === 'busy',
    ),
    slowest: turnsCase({
      pool: newPasswords,
      open: () => {
        const { pool } = createPasswordEstimator()
        return {
          perform: async (owner, hold) => {
            const place = await pool.take(owner, { waitMsMax: newPasswords.waitMsMax })
            if (typeof place === 'string') return place
            await hold()
            place.release()
          },
        }
      },
      refused: 'full',
    }).slowest,
  },
  loginAttempts: {
    crowds: [2, 50],
    floor: async (crowd) => {
      const { throttle } = await openLogin()
      const email = newEmail()
      // each network up to its limit, one after another
      for (const n of numbers(crowd)) {
        for (const _ of numbers(6)) {
          await throttle.count(attemptsOf(email, visitorAt(networkAt(n)), null))
        }
      }
      expect(await throttle.count(attemptsOf(email, visitorAt('192.0.2.201'), null))).toMatchObject(
        crowd > allUnknownRule.freeAttempts / 5 ? tooMany : {},
      )
      const known: Known = { accountId: uuidv7(nowMs), kind: 'browser', name: 'own' }
      for (const _ of numbers(knownRule.freeAttempts)) {
        expect(await throttle.count(attemptsOf(email, visitorAt(networkAt(1)), known))).toBeNull()
      }
    },
    share: async () => {
      const { throttle } = await openLogin()
      const [own] = networkRules
      for (const _ of numbers(own.freeAttempts)) {
        expect(await throttle.count(attemptsOf(newEmail(), visitorAt('192.0.2.1'), null))).toBeNull()
      }
      expect(await throttle.count(attemptsOf(newEmail(), visitorAt('192.0.2.1'), null))).toMatchObject(
        tooMany,
      )
    },
  },
  loginMails: {
    crowds: [2, 50],
    floor: async (crowd) => {
      const login = await openLogin()
      const email = await knownUser(login, 'own')
      for (const _ of numbers(2)) {
        await Promise.all(numbers(crowd).map((n) => requestLink(login, visitorAt(networkAt(n)), { email })))
      }
      expect(await mailsTo(login, email)).toBe(mailRule.freeAttempts)
      for (const _ of numbers(mailRule.freeAttempts)) {
        await requestLink(login, visitorAt('198.51.100.9', 'own'), { email })
      }
      expect(await mailsTo(login, email)).toBe(2 * mailRule.freeAttempts)
    },
    share: async () => {
      const login = await openLogin()
      const [own] = networkRules
      const emails = await Promise.all(
        numbers(own.freeAttempts + 1).map(() => knownUser(login, uuidv7(nowMs))),
      )
      for (const email of emails) await requestLink(login, visitorAt('192.0.2.1'), { email })
      const mailed = await Promise.all(emails.map((email) => mailsTo(login, email)))
      expect(mailed.filter((count) => count === 1)).toHaveLength(own.freeAttempts)
    },
  },
  signUps: {
    crowds: [2, 50],
    floor: async (crowd) => {
      const login = await openLogin()
      const [own] = signUpRules
      const ask = (network: string) => requestSignUp(login, visitorAt(network), { email: newEmail() })
      const answers = await Promise.all(
        numbers(crowd).flatMap((n) => numbers(own.freeAttempts + 1).map(() => ask(networkAt(n)))),
      )
      expect(answers.filter((answer) => 'refused' in answer)).toHaveLength(crowd)
      expect(await ask('192.0.2.77')).toEqual({ requested: true })
    },
    share: async () => {
      const login = await openLogin()
      const [own] = signUpRules
      const ask = () => requestSignUp(login, visitorAt('192.0.2.1'), { email: newEmail() })
      const answers = await Promise.all(numbers(own.freeAttempts).map(ask))
      expect(new Set(answers.map((answer) => 'refused' in answer))).toEqual(new Set([false]))
      expect(await ask()).toMatchObject(tooMany)
    },
  },
} satisfies Record<keyof typeof loginPools, FairnessCase>
