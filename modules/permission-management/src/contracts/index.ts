export * from './grant-book.js'
export * from './permission-grants.js'
