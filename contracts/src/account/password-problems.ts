export const passwordCharactersMin = 12

/** Why a new password is refused, after "This password" or beside its field. Pages say the same while it is typed. */
export const passwordProblems = {
  short: `must have at least ${passwordCharactersMin} characters`,
  own: 'contains your e-mail address or your account name',
  common: 'is a very common password, or similar to one',
  words: 'has too few words or names',
  repeat: 'repeats the same characters',
  sequence: 'is a sequence such as abc or 123',
  keyboard: 'follows the keys of a keyboard',
  date: 'is mostly a date or a year',
  easy: 'is easy to guess',
} as const

export const passwordAdvice = 'Use four unrelated words.'
