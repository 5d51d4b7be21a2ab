/** The past tense of the verbs in action names. */
const pasts: Readonly<Record<string, string>> = {
  accept: 'Accepted',
  acknowledge: 'Acknowledged',
  add: 'Added',
  arrange: 'Arranged',
  ask: 'Asked',
  bind: 'Bound',
  cancel: 'Cancelled',
  change: 'Changed',
  clone: 'Cloned',
  create: 'Created',
  delete: 'Deleted',
  end: 'Ended',
  invite: 'Invited',
  pause: 'Paused',
  post: 'Posted',
  publish: 'Published',
  release: 'Reset',
  remove: 'Removed',
  resume: 'Resumed',
  resolve: 'Ended messages of',
  retry: 'Retried',
  revoke: 'Revoked',
  rotate: 'Replaced token of',
  run: 'Ran',
  set: 'Changed',
  snooze: 'Snoozed',
  tag: 'Tagged',
  try: 'Tried',
  unpublish: 'Unpublished',
  update: 'Updated',
  upload: 'Uploaded',
}

const whole: Readonly<Record<string, string>> = {
  acknowledgeAlertByLink: 'Acknowledged alert by link',
  changeTier: 'Changed plan',
  endOtherSessions: 'Ended other sessions',
  logIn: 'Logged in',
  logInByLink: 'Logged in by link',
  logOut: 'Logged out',
  resumeCheckAtEnd: 'Resumed at its end',
  retryDelivery: 'Sent notification again',
  signUp: 'Signed up',
}

/** `createAlertRule` as `Created alert rule`. */
export const actionWords = (action: string): string => {
  const own = whole[action]
  if (own !== undefined) return own
  const [verb = '', ...rest] = action.split(/(?=[A-Z])/)
  const past = pasts[verb] ?? verb.charAt(0).toUpperCase() + verb.slice(1)
  return [past, ...rest.map((word) => word.toLowerCase())].join(' ')
}

/** A search text in the form of action names: `created check` is `createcheck`. */
export const soughtAction = (text: string): string => {
  const words = text.toLowerCase()
  const named = Object.entries(whole).find(([, each]) => each.toLowerCase() === words)
  if (named !== undefined) return named[0]
  const verb = Object.entries(pasts).find(([, past]) => words.startsWith(`${past.toLowerCase()} `))
  if (verb === undefined) return text
  return verb[0] + words.slice(verb[1].length).replaceAll(' ', '')
}
