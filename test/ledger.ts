/** What the official clients know, member by member, and what becomes of it here. */
export * from './ledger/fate.ts'
export * from './ledger/messages.ts'
export * from './ledger/generate-content.ts'
export * from './ledger/responses.ts'
