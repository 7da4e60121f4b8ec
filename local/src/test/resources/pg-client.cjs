// A client by the pg package: prints one line for each thing that went as it should, and fails at the first that did not.
const assert = require('node:assert');
const fs = require('node:fs');
const { Client, Pool } = require('pg');

const settings = {
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  user: 'admin',
  database: 'postgres',
  password: process.env.PGPASSWORD,
  ssl: { ca: fs.readFileSync(process.env.CA, 'utf8'), rejectUnauthorized: true },
};

async function refused(promise, code) {
  await assert.rejects(promise, (error) => {
    assert.strictEqual(error.code, code, error.message);
    return true;
  });
}

async function main() {
  const client = new Client(settings);
  await client.connect();
  assert.strictEqual((await client.query('SELECT 1 + 1 AS two')).rows[0].two, 2);
  console.log('simple');

  await client.query('CREATE TABLE node_t (id int PRIMARY KEY, word text, at timestamptz)');
  const at = new Date('2026-09-15T12:00:00Z');
  for (let id = 1; id <= 10; id++) {
    const inserted = await client.query({
      name: 'insert',
      text: 'INSERT INTO node_t VALUES ($1, $2, $3) RETURNING id',
      values: [id, `word ${id}`, at],
    });
    assert.strictEqual(inserted.rows[0].id, id);
  }
  const read = await client.query('SELECT word, at FROM node_t WHERE id = $1', [7]);
  assert.strictEqual(read.rows[0].word, 'word 7');
  assert.strictEqual(read.rows[0].at.getTime(), at.getTime());
  console.log('prepared');

  await refused(client.query('SELECT * FROM node_t FOR SHARE'), '0A000');
  await refused(client.query('SELECT $1::int / 0', [1]), '22012');
  assert.strictEqual((await client.query('SELECT count(*)::int AS n FROM node_t')).rows[0].n, 10);
  console.log('refused');

  const other = new Client(settings);
  await other.connect();
  await client.query('BEGIN');
  await other.query('BEGIN');
  await client.query('UPDATE node_t SET word = $1 WHERE id = 1', ['one']);
  await other.query('UPDATE node_t SET word = $1 WHERE id = 1', ['two']);
  await client.query('COMMIT');
  await refused(other.query('COMMIT'), '40001');
  await other.end();
  await client.end();
  console.log('conflict');

  const pool = new Pool({ ...settings, max: 4 });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => pool.query('SELECT $1::int AS i', [i])));
  answers.forEach((answer, i) => assert.strictEqual(answer.rows[0].i, i));
  await pool.end();
  console.log('pool');

  await refused(new Client({ ...settings, password: 'no token' }).connect(), '08006');
  console.log('denied');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
