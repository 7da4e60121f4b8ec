CREATE TABLE IF NOT EXISTS product (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    stock int NOT NULL,
    version int NOT NULL
);

CREATE TABLE IF NOT EXISTS placed_order (
    id uuid PRIMARY KEY,
    product_id uuid NOT NULL,
    quantity int NOT NULL
);
