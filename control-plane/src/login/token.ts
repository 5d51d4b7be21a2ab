import { hash, randomBytes } from 'node:crypto'

/** 256 random bits for a cookie or a link, looked up by their hash. */
export const makeToken = (): string => randomBytes(32).toString('base64url')

export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer')
