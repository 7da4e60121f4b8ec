CREATE TABLE IF NOT EXISTS account (
    id uuid PRIMARY KEY,
    owner text NOT NULL,
    balance bigint NOT NULL,
    version int NOT NULL
);
