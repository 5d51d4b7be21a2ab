import { expect, test } from 'vitest'
import { actionWords, soughtAction } from './action-words.ts'

test.each([
  ['createAlertRule', 'Created alert rule'],
  ['logInByLink', 'Logged in by link'],
  ['inviteMember', 'Invited member'],
  ['acceptInvitation', 'Accepted invitation'],
  ['rotateAgent', 'Replaced token of agent'],
  ['resumeCheckAtEnd', 'Resumed at its end'],
  ['someNewThing', 'Some new thing'],
])('%s reads as %s', (action, words) => {
  expect(actionWords(action)).toBe(words)
})

test('the displayed words find the action', () => {
  expect(soughtAction('Created check')).toBe('createcheck')
  expect(soughtAction('logged in')).toBe('logIn')
  expect(soughtAction('createCheck')).toBe('createCheck')
  expect(soughtAction('my check')).toBe('my check')
})
