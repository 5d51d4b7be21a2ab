import type { FastifyReply } from 'fastify'

/** Sends JSON text. */
export const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(json)
