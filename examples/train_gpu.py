# SPDX-License-Identifier: Apache-2.0
"""Trains a small CNN on images, on a GPU where there is one: the script before migration."""

import time

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader

import data
import training


# 2. The model
class SimpleCNN(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, kernel_size=3, padding=1),  # [N, 3, 32, 32] -> [N, 64, 32, 32]
            nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=2, stride=2),  # -> [N, 64, 16, 16]
            nn.Conv2d(64, 128, kernel_size=3, padding=1),  # -> [N, 128, 16, 16]
            nn.BatchNorm2d(128),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=2, stride=2),  # -> [N, 128, 8, 8]
        )
        self.classifier = nn.Sequential(
            nn.Dropout(0.5),
            nn.Linear(128 * 8 * 8, 512),
            nn.ReLU(inplace=True),
            nn.Dropout(0.5),
            nn.Linear(512, num_classes),
        )

    def forward(self, x):
        x = self.features(x)
        x = torch.flatten(x, 1)
        x = self.classifier(x)
        return x


def main(arguments=None):
    args = training.parse(__doc__, arguments)

    # 1. The data
    train_dataset, test_dataset = data.load(args.data, args.root, args.download)
    train_loader = DataLoader(train_dataset, batch_size=args.batch_size, shuffle=True)

    # 3. The device
    device = torch.device(args.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    model = SimpleCNN().to(device)

    # 4. Loss function and optimizer
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=0.001)

    # 5. The training loop
    losses, images_seen, started = [], 0, time.perf_counter()
    report_every = min(100, len(train_loader))
    model.train()
    for epoch in range(args.epochs):
        running_loss = 0.0
        batches = training.progress(train_loader, f"Epoch {epoch + 1}/{args.epochs}")
        for i, (images, labels) in enumerate(batches):
            images, labels = images.to(device), labels.to(device)

            optimizer.zero_grad()
            outputs = model(images)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()

            losses.append(loss.item())
            images_seen += len(images)
            running_loss += losses[-1]
            if (i + 1) % report_every == 0:
                print(
                    f"Epoch [{epoch + 1}/{args.epochs}], Step [{i + 1}/{len(train_loader)}], "
                    f"Loss: {running_loss / report_every:.4f}"
                )
                running_loss = 0.0
    seconds = time.perf_counter() - started

    # 6. The trained weights
    torch.save(model.state_dict(), args.save or "simple_cnn_cifar10.pth")
    return training.finish(model, test_dataset, device, losses, seconds, images_seen, args)


if __name__ == "__main__":
    main()
